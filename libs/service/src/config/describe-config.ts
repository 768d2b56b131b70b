import { z } from 'zod';
import { variableOf, type Environment } from './read-config.js';
import { fileVariable } from './secret-files.js';
import { isSet, metaOf } from './settings.js';

/** What people are told about a setting. */
export type SettingRow = {
  readonly key: string;
  readonly variable: string;
  /** What it is for, without a full stop. */
  readonly about: string;
  readonly expected: string;
  /** As one would write it; null: none, and empty text: nothing. */
  readonly default: string | null;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
};

/** The settings of a schema, in its order. */
export const describeConfig = (schema: z.ZodObject): readonly SettingRow[] =>
  Object.entries(schema.shape).map(([key, setting]) => {
    const { expected = '', description = '', secret = false, defaultText } = metaOf(setting as z.core.$ZodType);
    const usual = usualOf(setting as z.ZodType);
    return {
      key,
      variable: variableOf(schema, key),
      about: description,
      expected,
      default: usual === undefined ? null : (defaultText ?? textOf(usual)),
      isRequired: usual === undefined && !(setting as z.ZodType).isOptional(),
      isSecret: secret,
    };
  });

/**
 * A configuration as lines of an environment file, which give the same configuration again but for secrets: those are
 * named and not shown. What was not set stands there with its default.
 */
export const printConfig = (schema: z.ZodObject, config: object, env: Environment): string =>
  describeConfig(schema)
    .flatMap((row) => [
      `# ${row.about}; ${row.expected}`,
      ...lineOf(row, config, isSet(env[row.variable] ?? env[fileVariable(row.variable)])),
      '',
    ])
    .join('\n');

const lineOf = ({ key, variable, isSecret }: SettingRow, config: object, given: boolean): readonly string[] => {
  const value = (config as Readonly<Record<string, unknown>>)[key];
  if (isSecret) return [`# ${variable}: ${given ? 'set, not shown' : 'not set'}`];
  if (value === undefined) return [`# ${variable}: not set`];
  return given ? [`${variable}=${textOf(value)}`] : ['# (the default)', `${variable}=${textOf(value)}`];
};

const usualOf = (setting: z.ZodType): unknown => {
  const { type, defaultValue, innerType } = setting.def as z.core.$ZodTypeDef & {
    readonly defaultValue?: unknown;
    readonly innerType?: z.ZodType;
  };
  if (type === 'default' || type === 'prefault') return defaultValue;
  return type === 'optional' && innerType !== undefined ? usualOf(innerType) : undefined;
};

/** As it is written in a variable. */
const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}:${String(part)}`)
    .join(',');
};
