import type { Field } from './form-model.js';

/** What was typed, by the path of its field; all of it text, as fields hold it. */
export type Draft = Readonly<Record<string, string>>;
export const draftKey = ({ path }: Pick<Field, 'path'>): string => path.join('\u0000');

export type Filled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> };

/** The value that was filled in, or what is wrong, by field. The gateway checks all of the schema once more. */
export const valueOf = (fields: readonly Field[], draft: Draft): Filled => {
  const problems: Record<string, string> = {};
  let value: unknown = fields.length === 1 && fields[0]?.path.length === 0 ? undefined : {};
  for (const field of fields) {
    const key = draftKey(field);
    const read = readField(field, draft[key] ?? '');
    if ('problem' in read) problems[key] = read.problem;
    else if (read.value !== undefined) value = withValue(value, field.path, read.value);
  }
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, value };
};

type Read = { readonly value: unknown } | { readonly problem: string };

const readField = (field: Field, typed: string): Read => {
  if (typed === '') return field.required ? { problem: 'This is needed' } : { value: undefined };
  switch (field.kind) {
    case 'text':
      return readText(field, typed);
    case 'number':
      return readNumber(field, typed);
    case 'choice': {
      const option = field.options.find(({ key }) => key === typed);
      return option === undefined ? { problem: 'One of the choices is needed' } : { value: option.value };
    }
    case 'yes_no':
      return { value: typed === 'true' };
    case 'json':
      return readJson(typed);
  }
};

const readText = ({ min, max }: Extract<Field, { kind: 'text' }>, typed: string): Read => {
  const length = Array.from(typed).length;
  if (length < min) return { problem: `At least ${min} characters are needed` };
  if (max !== null && length > max) return { problem: `At most ${max} characters are allowed` };
  return { value: typed };
};

const readNumber = ({ whole, min, max }: Extract<Field, { kind: 'number' }>, typed: string): Read => {
  const value = Number(typed);
  if (typed.trim() === '' || !Number.isFinite(value)) return { problem: 'A number is needed' };
  if (whole && !Number.isInteger(value)) return { problem: 'A whole number is needed' };
  if (min !== null && value < min) return { problem: `Not below ${min}` };
  if (max !== null && value > max) return { problem: `Not above ${max}` };
  return { value };
};

export const readJson = (typed: string): Read => {
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch (error) {
    return { problem: `This is no JSON: ${(error as Error).message}` };
  }
};

/** Objects as deep as forms go; a name such as `__proto__` is a name like any other. */
const withValue = (target: unknown, path: readonly string[], value: unknown): unknown => {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const own = typeof target === 'object' && target !== null ? (target as Readonly<Record<string, unknown>>) : {};
  const inner = Object.hasOwn(own, name) ? own[name] : undefined;
  return Object.fromEntries([
    ...Object.entries(own).filter(([key]) => key !== name),
    [name, withValue(inner, rest, value)],
  ]);
};
