export type Difference = {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly kind: 'added' | 'removed' | 'changed';
};

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null;

/** Where two values differ, each with its place; at most so many, in the order of the second one. */
export const differences = (before: unknown, after: unknown, most: number): readonly Difference[] => {
  const found: Difference[] = [];
  compare({ before, after, path: '' }, found, most);
  return found;
};

type Pair = { readonly before: unknown; readonly after: unknown; readonly path: string };

const compare = ({ before, after, path }: Pair, found: Difference[], most: number): void => {
  if (found.length >= most || Object.is(before, after)) return;
  if (!isBag(before) || !isBag(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ path: path === '' ? 'all of it' : path, before, after, kind: kindOf(before, after) });
    return;
  }
  const [old, now] = Array.isArray(before) && Array.isArray(after) ? [keyed(before), keyed(after)] : [before, after];
  for (const name of new Set([...Object.keys(now), ...Object.keys(old)])) {
    compare({ before: old[name], after: now[name], path: placeOf(path, name) }, found, most);
  }
};

const kindOf = (before: unknown, after: unknown): Difference['kind'] =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';

const placeOf = (path: string, name: string): string =>
  name.startsWith('[') ? `${path}${name}` : path === '' ? name : `${path}.${name}`;

/** Lists of things with a name are compared by it: one that is taken out does not change all behind it. */
const keyed = (list: readonly unknown[]): Bag => {
  const names = list.map((item, index) => `[${nameOf(item) ?? index}]`);
  const distinct = new Set(names).size === names.length;
  return Object.fromEntries(list.map((item, index) => [distinct ? (names[index] ?? '') : `[${index}]`, item]));
};

const nameOf = (item: unknown): string | null => {
  if (!isBag(item)) return null;
  const name = item['stepId'] ?? item['id'] ?? item['attempt'] ?? item['index'] ?? item['runId'];
  return typeof name === 'string' || typeof name === 'number' ? String(name) : null;
};

/** What of a state stays as it is from the first event to the last. */
const still = ['program', 'input', 'tools'];

/** A state without what never changes in it. */
export const moving = (state: unknown): unknown =>
  isBag(state) && !Array.isArray(state)
    ? Object.fromEntries(Object.entries(state).filter(([name]) => !still.includes(name)))
    : state;
