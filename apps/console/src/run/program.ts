/** What the page must know about a plan. It shows any program; it understands plans. */
type Node = { readonly [name: string]: unknown };

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const nodesOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

const stepsOf = (program: unknown): readonly Node[] => (isNode(program) ? nodesOf(program['steps']) : []);

export const programName = (program: unknown): string | null =>
  isNode(program) && typeof program['name'] === 'string' ? program['name'] : null;

const WINDOW = 32;
export type Window = { readonly name: string; readonly window: number };

/** The `forEach`s of a plan with their windows, by the names under which they are steered. */
export const windowsOf = (program: unknown): readonly Window[] => windowsIn(stepsOf(program), '');

const windowsIn = (nodes: readonly Node[], outer: string): readonly Window[] =>
  nodes.flatMap((node) => {
    if (!('forEach' in node)) return [];
    const name = `${outer}${String(node['id'])}`;
    const window = typeof node['window'] === 'number' ? node['window'] : WINDOW;
    return [{ name, window }, ...windowsIn(nodesOf(node['steps']), `${name}.`)];
  });

/** How many steps a plan has in all; null where that shows only on the way. */
export const plannedSteps = (program: unknown, input: unknown): number | null => {
  const nodes = stepsOf(program);
  return nodes.length === 0 ? null : plannedIn(nodes, input);
};

const plannedIn = (nodes: readonly Node[], input: unknown): number | null => {
  let sum = 0;
  for (const node of nodes) {
    // How often its model is asked, and what it calls, shows only on the way.
    if ('agent' in node) return null;
    const inner = 'forEach' in node ? plannedIn(nodesOf(node['steps']), input) : 1;
    const times = 'forEach' in node ? lengthOf(node['forEach'], input) : 1;
    if (inner === null || times === null) return null;
    sum += inner * times;
  }
  return sum;
};

const lengthOf = (template: unknown, input: unknown): number | null => {
  if (Array.isArray(template)) return template.length;
  const from = isNode(template) ? template['$from'] : undefined;
  if (typeof from !== 'string' || !/^input(\.|\[|$)/.test(from)) return null;
  let value: unknown = input;
  for (const [, part = ''] of from.slice('input'.length).matchAll(/[.[]([^.[\]]+)\]?/g)) {
    value =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[part] : undefined;
  }
  return Array.isArray(value) ? value.length : null;
};
