import type { Json } from '@holdfast/programs';
import { z } from 'zod';

export type { Json } from '@holdfast/programs';

/** Any JSON value. */
export const jsonSchema = z.json() as unknown as z.ZodType<Json>;
