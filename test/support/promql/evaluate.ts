import { all, child, groupingOf, parsePromql, selectorOf, type Node } from './promql.js';

export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};
/** Two looks at the same services: what is asked of a range is asked of what lies between them. */
export type Looks = { readonly before: readonly Sample[]; readonly after: readonly Sample[] };

type Vector = readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

/** What an alert's expression is at the second look: one element for each alert that it raises. Knows what the rules use. */
export const evaluate = (expression: string, looks: Looks): Vector => {
  const value = valueOf(parsePromql(expression), looks);
  if (typeof value === 'number') throw new Error('an alert is about series, not about a number');
  return value;
};

const valueOf = (node: Node, looks: Looks): Vector | number => {
  switch (node.kind) {
    case 'NumberDurationLiteral':
      return Number(node.text);
    case 'ParenExpr':
      return valueOf(node.below[0] ?? node, looks);
    case 'VectorSelector':
      return select(node, looks.after);
    case 'AggregateExpr':
      return aggregate(node, looks);
    case 'FunctionCall':
      return call(node, looks);
    case 'BinaryExpr':
      return binary(node, looks);
    default:
      throw new Error(`the rules use ${node.kind}, which is not known here: ${node.text}`);
  }
};

const vectorOf = (node: Node | undefined, looks: Looks): Vector => {
  const value = node === undefined ? [] : valueOf(node, looks);
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
};

const select = (node: Node, samples: readonly Sample[]): Vector => {
  const { metric, matchers } = selectorOf(node);
  return samples.filter(
    ({ name, labels }) =>
      name === metric && matchers.every(({ label, op, value }) => ((labels[label] ?? '') === value) === (op === '=')),
  );
};

const keyOf = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b)));

const aggregate = (node: Node, looks: Looks): Vector => {
  const by = groupingOf(node);
  const op = child(node, 'AggregateOp')?.text ?? '';
  const groups = new Map<string, { labels: Record<string, string>; values: number[] }>();
  for (const { labels, value } of vectorOf(child(node, 'FunctionCallBody')?.below[0], looks)) {
    const kept = Object.fromEntries(
      by.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]]])),
    );
    const group = groups.get(keyOf(kept)) ?? { labels: kept, values: [] };
    group.values.push(value);
    groups.set(keyOf(kept), group);
  }
  return [...groups.values()].map(({ labels, values }) => ({ labels, value: folded(op, values) }));
};

const folded = (op: string, values: readonly number[]): number => {
  if (op === 'sum') return values.reduce((sum, value) => sum + value, 0);
  if (op === 'max') return Math.max(...values);
  if (op === 'min') return Math.min(...values);
  if (op === 'count') return values.length;
  throw new Error(`the rules use ${op}, which is not known here`);
};

const call = (node: Node, looks: Looks): Vector => {
  const name = child(node, 'FunctionIdentifier')?.text;
  const [argument] = child(node, 'FunctionCallBody')?.below ?? [];
  if (name === 'absent') return vectorOf(argument, looks).length === 0 ? [{ labels: {}, value: 1 }] : [];
  if (name === 'vector') return vectorOf(argument, looks);
  if (name !== 'increase' || argument === undefined) throw new Error(`the rules use ${name}, which is not known here`);
  const [selector] = all(argument, 'VectorSelector');
  if (selector === undefined) return [];
  const before = new Map(select(selector, looks.before).map(({ labels, value }) => [keyOf(labels), value]));
  // A series that was not there before has not grown yet: that is how Prometheus sees it.
  return select(selector, looks.after).map(({ labels, value }) => ({
    labels,
    value: value - (before.get(keyOf(labels)) ?? value),
  }));
};

const COMPARED: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const binary = (node: Node, looks: Looks): Vector => {
  const [left, op, right] = node.below;
  const a = vectorOf(left, looks);
  const compare = COMPARED[op?.text ?? ''];
  if (compare !== undefined && right !== undefined) {
    const bound = valueOf(right, looks);
    if (typeof bound !== 'number') throw new Error('the rules compare with numbers');
    return a.filter(({ value }) => compare(value, bound));
  }
  const b = vectorOf(right, looks);
  const known = new Set(b.map(({ labels }) => keyOf(labels)));
  if (op?.text === 'or')
    return [...a, ...b.filter(({ labels }) => !a.some((one) => keyOf(one.labels) === keyOf(labels)))];
  if (op?.text === 'and') return a.filter(({ labels }) => known.has(keyOf(labels)));
  if (op?.text === 'unless') return a.filter(({ labels }) => !known.has(keyOf(labels)));
  throw new Error(`the rules use ${op?.text}, which is not known here`);
};
