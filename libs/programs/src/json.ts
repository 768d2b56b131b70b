import { z } from 'zod';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

// The readonly type, so that a frozen plan is a plan.
export const json: z.ZodType<Json> = z.json();

/** Deeper values would exhaust the stack of whatever walks them. */
export const DEPTH_MAX = 64;

/** Whether a value has more than so many levels of arrays and objects. Itself never goes deeper than that. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
};
