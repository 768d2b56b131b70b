import type { Json } from '@holdfast/programs';
import { z } from 'zod';
import { refuse, type Place } from '../place.js';
import { at, readPointer, type Pointer } from '../template/pointer.js';
import { answered, type Reference, type Scene } from '../template/reference.js';
import { CannotFill, fill, readTemplate, referencesIn, type Template } from '../template/template.js';
import type { Answer } from './read-answer.js';

const status = z.union([z.int().min(100).max(599), z.string().regex(/^[1-5]xx$/, 'must be a status like 404 or 4xx')]);

/** What an answer must be like; all parts that are given must hold. */
export const conditionSchema = z.strictObject({
  /** Without it: 2xx. */
  status: z.union([status, z.array(status).min(1)]).optional(),
  /** Where in the body to look; the whole body without it. */
  pointer: z.string().optional(),
  exists: z.boolean().optional(),
  /** The same value. */
  equals: z.json().optional(),
  /** An object that has at least these fields with these values; lists, texts and numbers must be the same. */
  matches: z.json().optional(),
  /** A part of a text, or an entry of a list. */
  contains: z.json().optional(),
  /** Of a list, the entries that match this; what else is asked is asked about those alone. */
  where: z.json().optional(),
  /** How many entries there are. */
  count: z
    .union([z.int().min(0), z.strictObject({ min: z.int().min(0).optional(), max: z.int().min(0).optional() })])
    .optional(),
});

type Raw = z.infer<typeof conditionSchema>;
type Statuses = readonly (number | string)[];

/** A condition, read. */
export type Condition = {
  readonly statuses: Statuses;
  readonly pointer: Pointer;
  readonly exists: boolean | undefined;
  readonly equals: Template | undefined;
  readonly matches: Template | undefined;
  readonly contains: Template | undefined;
  readonly where: Template | undefined;
  readonly count: { readonly min: number; readonly max: number } | undefined;
};

const SUCCESS: Statuses = ['2xx'];

export const readCondition = (raw: Raw, place: Place): Condition => {
  const template = (name: 'equals' | 'matches' | 'contains' | 'where'): Template | undefined =>
    raw[name] === undefined ? undefined : readTemplate(raw[name] as Json, answered, `${place}.${name}`);
  const { status: statuses, count } = raw;
  if (raw.exists !== undefined && raw.pointer === undefined) refuse(`${place}.exists`, 'needs a pointer beside it');
  return {
    statuses: statuses === undefined ? SUCCESS : Array.isArray(statuses) ? statuses : [statuses],
    pointer: readPointer(raw.pointer ?? '', `${place}.pointer`),
    exists: raw.exists,
    equals: template('equals'),
    matches: template('matches'),
    contains: template('contains'),
    where: template('where'),
    count: readCount(count),
  };
};

const readCount = (count: Raw['count']): Condition['count'] => {
  if (count === undefined) return undefined;
  if (typeof count === 'number') return { min: count, max: count };
  return { min: count.min ?? 0, max: count.max ?? Infinity };
};

/** Whether an answer fits; `found` is what the condition has pointed at: with `where`, the first entry that matches. */
export type Fit = { readonly fits: false } | { readonly fits: true; readonly found: Json | undefined };

const NO: Fit = { fits: false };

export const hasStatus = (statuses: Statuses, status: number): boolean =>
  statuses.some((one) => one === status || one === `${Math.floor(status / 100)}xx`);

/** What a template in a condition speaks of and is not there lets it fit nothing. */
export const judge = (condition: Condition, answer: Answer, scene: Scene): Fit => {
  if (!hasStatus(condition.statuses, answer.status)) return NO;
  try {
    return judgeBody(condition, answer, scene);
  } catch (error) {
    if (error instanceof CannotFill) return NO;
    throw error;
  }
};

const judgeBody = (condition: Condition, { body }: Answer, scene: Scene): Fit => {
  const { where, count, exists } = condition;
  const pointed = at(condition.pointer, body);
  if (exists === false) return pointed === undefined ? { fits: true, found: undefined } : NO;
  if (pointed === undefined) return isAsked(condition) ? NO : { fits: true, found: undefined };
  const entries = where === undefined ? pointed : matching(pointed, fill(where, scene));
  if (entries === undefined) return NO;
  const bound = count ?? (where === undefined ? undefined : { min: 1, max: Infinity });
  if (bound !== undefined && !(Array.isArray(entries) && isWithin(entries.length, bound))) return NO;
  const found: Json | undefined = where === undefined ? entries : (entries as readonly Json[])[0];
  return hasValues(condition, found, scene) ? { fits: true, found } : NO;
};

const isAsked = ({ pointer, exists, equals, matches, contains, where, count }: Condition): boolean =>
  pointer.path.length > 0 || [exists, equals, matches, contains, where, count].some((part) => part !== undefined);

const matching = (value: Json, pattern: Json): readonly Json[] | undefined =>
  Array.isArray(value) ? value.filter((entry) => isLike(entry as Json, pattern)) : undefined;

const isWithin = (length: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  length >= min && length <= max;

const hasValues = ({ equals, matches, contains }: Condition, found: Json | undefined, scene: Scene): boolean => {
  if (equals === undefined && matches === undefined && contains === undefined) return true;
  if (found === undefined) return false;
  if (equals !== undefined && !isSame(found, fill(equals, scene))) return false;
  if (matches !== undefined && !isLike(found, fill(matches, scene))) return false;
  return contains === undefined || holds(found, fill(contains, scene));
};

const holds = (value: Json, part: Json): boolean => {
  if (Array.isArray(value)) return value.some((entry) => isSame(entry as Json, part));
  // An empty text is a part of every text, and proves nothing.
  return typeof value === 'string' && typeof part === 'string' && part !== '' && value.includes(part);
};

/** The same JSON value; the order of fields does not count. */
const isSame = (a: Json, b: Json): boolean => {
  if (!isLike(a, b)) return false;
  return typeof a !== 'object' || a === null || isLike(b, a);
};

/** `pattern`, with more fields at most. */
const isLike = (value: Json, pattern: Json): boolean => {
  if (typeof pattern !== 'object' || pattern === null || typeof value !== 'object' || value === null)
    return value === pattern;
  if (Array.isArray(pattern) || Array.isArray(value)) {
    if (!Array.isArray(pattern) || !Array.isArray(value) || pattern.length !== value.length) return false;
    return pattern.every((entry, index) => isLike(value[index] as Json, entry as Json));
  }
  const own = value as Readonly<Record<string, Json>>;
  return Object.entries(pattern as Readonly<Record<string, Json>>).every(
    ([name, wanted]) => Object.hasOwn(own, name) && isLike(own[name] ?? null, wanted),
  );
};

export const referencesInCondition = ({ equals, matches, contains, where }: Condition): readonly Reference[] =>
  [equals, matches, contains, where].flatMap((template) => (template === undefined ? [] : referencesIn(template)));
