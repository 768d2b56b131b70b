import { z } from 'zod';

/** The schema of a fact of version 1. */
export const fact = <T extends string, D extends z.ZodRawShape>(type: T, data: D) =>
  z.object({ type: z.literal(type), version: z.literal(1), data: z.object(data) });
