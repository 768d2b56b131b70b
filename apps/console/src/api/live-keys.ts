import type { LiveEvent } from '@holdfast/api';

export type Touched = { readonly key: readonly unknown[]; readonly everyMs: number };

const QUICK_MS = 400;
const LIST_MS = 1_500;
const HEAVY_MS = 4_000;
/** The gateway folds all of the run for it. */
const EXPLAIN_MS = 6_000;

/** After these the explanation says something else; after others only its numbers differ. */
const weighty = /Doubt|Escalation|Run(Ended|Paused|Resumed|Steered|Waiting)|Cancel|Kill|Budget|Conflict/;

/** Which answers an event makes old, and how often each of them is worth asking for again. */
export const keysTouchedBy = ({ runId, type }: Pick<LiveEvent, 'runId' | 'type'>): readonly Touched[] => {
  const touched: Touched[] = [
    { key: ['counters'], everyMs: LIST_MS },
    { key: ['runs'], everyMs: LIST_MS },
  ];
  if (runId === null) return touched;
  const run = (part: string, everyMs: number): Touched => ({ key: ['run', runId, part], everyMs });
  touched.push(run('detail', QUICK_MS), run('history', LIST_MS), run('steps', LIST_MS));
  touched.push(
    run('explain', type === 'RunEnded' ? QUICK_MS : weighty.test(type) ? EXPLAIN_MS / 2 : EXPLAIN_MS),
    run('step', LIST_MS),
    run('effects', LIST_MS),
    run('attempts', HEAVY_MS),
  );
  if (/TurnTaken|Step(Succeeded|Failed)|Doubt|Child/.test(type)) touched.push(run('turns', LIST_MS));
  if (/Doubt|Probe|RunEnded|Report/.test(type)) {
    touched.push(run('doubts', QUICK_MS), { key: ['doubts'], everyMs: QUICK_MS });
  } else if (/Step(Succeeded|Failed)/.test(type)) touched.push(run('doubts', LIST_MS));
  if (/Escalation|Approval|RunEnded|Doubt/.test(type)) touched.push({ key: ['questions'], everyMs: QUICK_MS });
  return touched;
};
