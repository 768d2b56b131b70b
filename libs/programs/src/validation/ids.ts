import type { PlanNode } from '../plan.js';
import { freeNames } from '../outline.js';
import { placeOf, type PlanProblem } from './problem.js';

/** What is wrong with the ids of one scope whose nodes stand at `at`: two alike, unknown ones in `after`, circles. */
export const idProblems = (nodes: readonly PlanNode[], at: string): readonly PlanProblem[] => [
  ...duplicates(nodes, at),
  ...unknownAfter(nodes, at),
  ...cycles(nodes, at),
];

const duplicates = (nodes: readonly PlanNode[], at: string): readonly PlanProblem[] =>
  nodes.flatMap(({ id }, index): readonly PlanProblem[] => {
    const first = nodes.findIndex((node) => node.id === id);
    if (first === index) return [];
    const message = `${id} is the id of ${placeOf(at, first)} already`;
    return [{ at: placeOf(placeOf(at, index), 'id'), code: 'duplicate_id', message }];
  });

const unknownAfter = (nodes: readonly PlanNode[], at: string): readonly PlanProblem[] => {
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap((node, index) =>
    (node.after ?? []).flatMap((id, position): readonly PlanProblem[] => {
      const place = placeOf(placeOf(placeOf(at, index), 'after'), position);
      return ids.has(id)
        ? []
        : [{ at: place, code: 'unknown_after', message: `no step ${id} stands beside ${node.id}` }];
    }),
  );
};

const cycles = (nodes: readonly PlanNode[], at: string): readonly PlanProblem[] => {
  const needs = new Map(nodes.map((node) => [node.id, [...(node.after ?? []), ...freeNames(node)]]));
  const finished = new Set<string>();
  const found: (readonly string[])[] = [];
  const visit = (id: string, trail: readonly string[]): void => {
    const start = trail.indexOf(id);
    if (start >= 0) found.push([...trail.slice(start), id]);
    if (start >= 0 || finished.has(id)) return;
    for (const need of needs.get(id) ?? []) if (needs.has(need)) visit(need, [...trail, id]);
    finished.add(id);
  };
  for (const { id } of nodes) visit(id, []);
  return found.map((cycle) => ({
    at: placeOf(
      at,
      nodes.findIndex(({ id }) => id === cycle[0]),
    ),
    code: 'cycle',
    message: `each waits for the next: ${cycle.join(' → ')}`,
  }));
};
