import { z } from 'zod';

/** What is known of an environment variable beside how its text is read. */
export type SettingOptions = {
  /** The variable's name, where it is not `HOLDFAST_` and the key in capitals. */
  readonly variable?: string;
  /** Its value is never shown. */
  readonly secret?: boolean;
};

/** A setting out of a parser that answers `undefined` for text it cannot read. `expected` completes "expected …". */
export const setting = <T>(
  expected: string,
  parse: (text: string) => T | undefined,
  options: SettingOptions = {},
): z.ZodType<T, string> =>
  z
    .string()
    .transform((text, context): T => {
      const value = parse(text.trim());
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    })
    .meta({ expected, ...options });

/** A whole number with its bounds, both inclusive. */
export const wholeNumber = (min: number, max: number, unit = ''): z.ZodType<number, string> =>
  setting(`a whole number from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`, (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });

/** A duration in ms. */
export const millis = (min = 1, max = 7 * 86_400_000): z.ZodType<number, string> => wholeNumber(min, max, 'ms');

export const oneOf = <const T extends string>(...values: readonly T[]): z.ZodType<T, string> =>
  setting(`one of ${values.join(', ')}`, (text) => values.find((value) => value === text));

export const yesOrNo = (): z.ZodType<boolean, string> =>
  setting('true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** Parts between commas, without empty ones. */
export const list = (
  expected: string,
  fits: (part: string) => boolean,
  options: SettingOptions = {},
): z.ZodType<readonly string[], string> =>
  setting(
    expected,
    (text) => {
      const parts = text.split(',').map((part) => part.trim());
      const given = parts.filter((part) => part !== '');
      return given.every(fits) ? given : undefined;
    },
    options,
  );

type SettingMeta = SettingOptions & {
  readonly expected?: string;
  /** What it is for: given with `describe`. */
  readonly description?: string;
  /** What to call a default that is another one in each process. */
  readonly defaultText?: string;
};

/** What is known about a setting, also under `default` and `optional`. */
export const metaOf = (schema: z.core.$ZodType): SettingMeta => {
  const own = z.globalRegistry.get(schema) as SettingMeta | undefined;
  if (own?.expected !== undefined) return own;
  const { innerType } = (schema as z.ZodType).def as { readonly innerType?: z.core.$ZodType };
  return { ...(innerType === undefined ? {} : metaOf(innerType)), ...own };
};

/** Whether a variable has a value; an empty one counts as not set. */
export const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== '';
