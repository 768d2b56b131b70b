import { parser } from '@prometheus-io/lezer-promql';

/** A node of an expression's tree: its kind, its text and what is below it. */
export type Node = { readonly kind: string; readonly text: string; readonly below: readonly Node[] };

type Cursor = ReturnType<ReturnType<typeof parser.parse>['cursor']>;

/** The tree of an expression; throws where PromQL cannot be read. */
export const parsePromql = (expression: string): Node => {
  const read = (cursor: Cursor): Node => {
    const kind: string = cursor.name;
    const text = expression.slice(cursor.from, cursor.to);
    if (cursor.type.isError) throw new Error(`cannot be read at ${cursor.from}: ${expression}`);
    const below: Node[] = [];
    if (cursor.firstChild()) {
      do below.push(read(cursor));
      while (cursor.nextSibling());
      cursor.parent();
    }
    return { kind, text, below };
  };
  const [root] = read(parser.parse(expression).cursor()).below;
  if (root === undefined) throw new Error('an empty expression');
  return root;
};

export const all = (node: Node, kind: string): readonly Node[] => [
  ...(node.kind === kind ? [node] : []),
  ...node.below.flatMap((one) => all(one, kind)),
];

export const child = (node: Node, kind: string): Node | undefined => node.below.find((one) => one.kind === kind);

/** A selector's metric and the labels that it compares. */
export const selectorOf = (node: Node) => ({
  metric: child(node, 'Identifier')?.text ?? '',
  matchers: all(node, 'UnquotedLabelMatcher').map((matcher) => ({
    label: child(matcher, 'LabelName')?.text ?? '',
    op: child(matcher, 'MatchOp')?.text ?? '',
    value: (child(matcher, 'StringLiteral')?.text ?? '""').slice(1, -1),
  })),
});

/** The labels by which an aggregation groups. */
export const groupingOf = (node: Node): readonly string[] => {
  const modifier = child(node, 'AggregateModifier');
  return modifier === undefined ? [] : all(modifier, 'LabelName').map(({ text }) => text);
};
