import { wholeValueProblems, type Json, type JsonSchema } from '@holdfast/programs';
import { z } from 'zod';

/**
 * The type of a tool's arguments or result where all there is is a JSON Schema of an object, as tool servers and API
 * documents bring it. The catalogue shows the schema as it is given; values are checked by it and kept unchanged.
 */
export const jsonObject = (schema: JsonSchema): z.ZodType<Record<string, Json>> =>
  jsonValue({ ...schema, type: 'object' }) as unknown as z.ZodType<Record<string, Json>>;

/** The same for a result that may be any JSON. */
export const jsonValue = (schema: JsonSchema): z.ZodType<Json> =>
  z
    .unknown()
    .check(({ value, issues }) => {
      for (const message of wholeValueProblems(schema, value as Json))
        issues.push({ code: 'custom', message, input: value });
    })
    .meta(schema) as unknown as z.ZodType<Json>;
