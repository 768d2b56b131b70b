import { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';
import type { Json } from '@holdfast/programs';

/** A value out of a file, and where in it its parts stand: `plan.yaml:12:5` for `steps[3].args.path`, if that is known. */
export type Source = { readonly value: Json; readonly place: (at: string) => string | null };

/** What is wrong with a text that should be YAML: a line each, with file, line and column. */
export class UnusableYaml extends Error {
  override readonly name = 'UnusableYaml';
}

/** Larger files hold nothing that could be used, unless whoever reads one knows better. */
export const YAML_BYTES_MAX = 2 * 1024 * 1024;
/** An alias stands for what its anchor holds; many of many would be a file that never ends. */
const ALIASES_MAX = 100;
const PROBLEMS_MAX = 10;

type Wrong = { readonly offset: number; readonly message: string };

/** The value of a YAML 1.2 file, which must be JSON as well: what JSON cannot say is refused, with line and column. */
export const yamlSource = (text: string, from: string, bytesMax = YAML_BYTES_MAX): Source => {
  const lines = new LineCounter();
  const position = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${from}:${line}:${col}`;
  };
  const refuse = (wrong: readonly Wrong[]): UnusableYaml => {
    const named = wrong.slice(0, PROBLEMS_MAX).map(({ offset, message }) => `\n  - ${position(offset)}: ${message}`);
    const more = wrong.length > PROBLEMS_MAX ? `\n  … and ${wrong.length - PROBLEMS_MAX} more` : '';
    return new UnusableYaml(`${named.join('')}${more}`);
  };
  if (Buffer.byteLength(text) > bytesMax) {
    throw refuse([{ offset: 0, message: `it is larger than ${bytesMax} bytes` }]);
  }
  const document = read(text, lines, refuse);
  const wrong = [...syntax(document), ...unlike(document)];
  if (wrong.length > 0) throw refuse(wrong);
  const value = valueOf(document, refuse, bytesMax);
  return { value, place: (at) => placeOf(document, at, position) };
};

const read = (text: string, lineCounter: LineCounter, refuse: (wrong: readonly Wrong[]) => UnusableYaml): Document => {
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'core',
      lineCounter,
      prettyErrors: false,
      logLevel: 'error',
    });
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw refuse([{ offset: 0, message: 'it has too many levels' }]);
    throw error;
  }
};

const syntax = ({ errors, warnings, directives }: Document): readonly Wrong[] => [
  ...[...errors, ...warnings].map(({ pos, message }) => ({ offset: pos[0], message })),
  ...(directives?.yaml.version === '1.1' ? [{ offset: 0, message: 'YAML 1.1 is not read: leave %YAML out' }] : []),
];

/** What YAML has and JSON has not. */
const unlike = (document: Document): readonly Wrong[] => {
  const wrong: Wrong[] = [];
  const say = (node: unknown, message: string): void => {
    wrong.push({ offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, message });
  };
  visit(document, {
    Pair: (_, { key }) => {
      if (!isScalar(key) || typeof key.value === 'object') say(key, 'a key must be a text');
    },
    Scalar: (_, node) => {
      const { value } = node;
      const fits = value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
      if (!fits) say(node, `${String(value as number | bigint)} cannot be said in JSON`);
    },
  });
  return wrong;
};

const valueOf = (document: Document, refuse: (wrong: readonly Wrong[]) => UnusableYaml, bytesMax: number): Json => {
  try {
    const value = document.toJS({ maxAliasCount: ALIASES_MAX }) as Json;
    if (sizeOf(value) <= bytesMax) return value;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
  }
  throw refuse([{ offset: firstAlias(document), message: 'its aliases stand for more than may be read' }]);
};

/**
 * A lower bound of the bytes that a value takes once everything that it holds several times is written out; each part is
 * looked at once.
 */
export const sizeOf = (value: Json, known = new Map<object, number>()): number => {
  if (typeof value !== 'object' || value === null) return String(value).length;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, 0);
  const size = Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + sizeOf(inner as Json, known), 2);
  known.set(value, size);
  return size;
};

const firstAlias = (document: Document): number => {
  let offset = 0;
  visit(document, {
    Alias: (_, node) => {
      offset = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
};

/** Where a part stands; of one that is missing, what it should be in. */
const placeOf = (document: Document, at: string, position: (offset: number) => string): string | null => {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0];
  for (const part of partsOf(at)) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part)) : null;
    const next = pair === null ? childOf(node, part) : pair?.value;
    if (pair === undefined || !isNode(next)) break;
    node = next;
    offset = (isNode(pair?.key) ? pair.key.range?.[0] : undefined) ?? node.range?.[0] ?? offset;
  }
  return offset === undefined ? null : position(offset);
};

const childOf = (node: Node | null, part: string | number): unknown =>
  node !== null && 'get' in node && typeof node.get === 'function' ? (node.get(part, true) as unknown) : undefined;

/** `steps[0].args.path` as keys and positions. */
const partsOf = (at: string): readonly (string | number)[] =>
  [...at.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? (key ?? '') : Number(index),
  );
