import type { AskedOf, Route } from '@holdfast/api';
import { isWithinDepth, LIMITS } from '@holdfast/events';
import type { z } from 'zod';
import { ProblemError } from './problems.js';

/** A request as it came, before anything of it is believed. */
export type Raw = {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
};

type Wrong = { readonly at: string; readonly message: string };
type Part = keyof Raw;

/** The record around a request takes some levels itself. */
const LEVELS = LIMITS.jsonDepth - 10;

/** What a request says by the schemas of its route. Throws a problem that names everything that is wrong with it. */
export const checked = <R extends Route>(route: R, raw: Raw): AskedOf<R> => {
  const wrong: Wrong[] = [];
  const read = (part: Part, schema: z.ZodType | undefined, given: unknown): unknown => {
    if (schema === undefined) return undefined;
    if (part !== 'body') wrong.push(...zerosIn(part, given as Raw['query']));
    if (part === 'body' && !isWithinDepth(given, LEVELS)) {
      wrong.push({ at: 'body', message: `has more than ${LEVELS} levels of arrays and objects` });
      return undefined;
    }
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    wrong.push(...wrongIn(part, parsed.error.issues));
    return undefined;
  };
  const params = read('params', route.params, raw.params);
  const query = read('query', route.query, listed(route.query, raw.query));
  const body = read('body', route.body, raw.body ?? {});
  if (wrong.length > 0) throw invalid(wrong);
  return { params, query, body } as AskedOf<R>;
};

/** No text in the database can hold the character 0, so that it cannot be asked for either. */
const zerosIn = (part: Part, given: Raw['query']): readonly Wrong[] =>
  Object.entries(given)
    .filter(([, value]) => [value].flat().some((one) => typeof one === 'string' && one.includes('\0')))
    .map(([name]) => ({ at: placeOf(part, [name]), message: 'must not hold the character 0' }));

/** A request whose parts are not what they must be. */
export const invalid = (errors: readonly Wrong[]): ProblemError =>
  new ProblemError(400, {
    code: 'invalid_input',
    detail: errors.map(({ at, message }) => `${at}: ${message}`).join('; '),
    errors: [...errors],
  });

/** A parameter that may be given several times is a list, also when it was given once. */
const listed = (schema: z.ZodObject | undefined, query: Raw['query']): Raw['query'] =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const field = schema !== undefined && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      const wantsList = field !== undefined && isList(field);
      return [name, wantsList && !Array.isArray(value) ? [value] : value];
    }),
  );

const isList = (schema: z.core.$ZodType): boolean => {
  const { type, innerType } = (schema as z.ZodType).def as Definition;
  return type === 'array' || (innerType !== undefined && isList(innerType));
};
type Definition = { readonly type: string; readonly innerType?: z.core.$ZodType };

const wrongIn = (part: Part, issues: readonly z.core.$ZodIssue[]): readonly Wrong[] =>
  issues.flatMap((issue) => {
    const at = placeOf(part, issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ at: placeOf(part, [...issue.path, key]), message: 'is not known' }));
    }
    const nearest = issue.code === 'invalid_union' ? nearestOf(issue.errors) : [];
    return nearest.length > 0
      ? wrongIn(
          part,
          nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        )
      : [{ at, message: issue.message }];
  });

const depth = (issues: readonly z.core.$ZodIssue[]): number => issues[0]?.path.length ?? 0;

/** Of several alternatives the one that was meant most likely: whose first mistake is furthest inside. */
const nearestOf = (branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] => {
  const deepest = [...branches].sort((a, b) => depth(b) - depth(a))[0] ?? [];
  return depth(deepest) > 0 ? deepest : [];
};

const names: Readonly<Record<Part, string>> = { params: 'path', query: 'query', body: 'body' };
const placeOf = (part: Part, path: readonly PropertyKey[]): string => [names[part], ...path.map(String)].join('.');
