import { cut, type Undoable } from '@holdfast/events';
import type { Json, Plan } from '@holdfast/programs';

/** A plan has so many steps at its top at most. */
const GROUPS_MAX = 256;

export type UndoProgram = { readonly program: Plan; readonly input: Json };

/**
 * The run that undoes effects: the last one first, one at a time, each only when the one before it is undone. Null where
 * tools take turns so often that no plan can hold it.
 */
export const undoProgram = (runId: string, list: readonly Undoable[]): UndoProgram | null => {
  const groups = groupsOf(list.toReversed());
  if (groups.length > GROUPS_MAX) return null;
  const steps = groups.map(({ by }, index) => ({
    id: `undo${index}`,
    forEach: { $from: `input.groups[${index}]` },
    window: 1,
    steps: [{ id: 'call', tool: by, args: { $from: 'item' } }],
    ...(index === 0 ? {} : { after: [`undo${index - 1}`] }),
  }));
  const name = cut(`undo ${runId}`, 200);
  return { program: { kind: 'plan', name, steps }, input: { groups: groups.map(({ items }) => items) } };
};

type Group = { readonly by: string; readonly items: Json[] };

/** Neighbours that one tool undoes go into one group. */
const groupsOf = (list: readonly Undoable[]): readonly Group[] => {
  const groups: Group[] = [];
  for (const { by, args, result, key } of list) {
    const last = groups.at(-1);
    const item = { args, result, key };
    if (last?.by === by) last.items.push(item);
    else groups.push({ by, items: [item] });
  }
  return groups;
};
