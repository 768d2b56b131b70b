import { z } from 'zod';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

// The readonly type, so that a frozen plan is a plan.
export const json: z.ZodType<Json> = z.json();
