import type { Json } from '@holdfast/programs';
import { Defect } from '../defect.js';
import { hasEffect, type ReplayPolicy } from '../policy.js';
import type { HistoryRecord } from '../record/record.js';
import type { RunEvent, RunEventData } from '../run/run.events.js';

/** What became of the effect of a step, or of all that a run did which it has begun. */
export type ForkEffect = 'none' | 'applied' | 'in_doubt';

/** What the history of a run says about one step. `run`: the step began another run. */
export type StepFact = {
  readonly stepId: string;
  readonly tool: string;
  readonly policy: ReplayPolicy | 'run' | 'ask';
  readonly effect: ForkEffect;
};
/** A step that has succeeded, with its result; or an agent, with its answer. */
export type Success = { readonly stepId: string; readonly result: Json };

export type RunFacts = {
  readonly accepted: RunEventData<'RunAccepted'>;
  readonly seq: number;
  readonly end: RunEventData<'RunEnded'> | null;
  /** Its effects were undone, or are still to be. */
  readonly undoing: boolean;
  /** In the order in which they succeeded. */
  readonly successes: readonly Success[];
  readonly steps: readonly StepFact[];
};

type Known = {
  readonly stepId: string;
  readonly tool: string;
  readonly policy: StepFact['policy'];
  /** Attempts of which nobody has said that they did not act. */
  readonly unsettled: Set<number>;
  applied: boolean;
  conflict: boolean;
};

/** What is known of a run that matters to whoever does it again, out of its whole history. */
export const runFacts = (records: readonly HistoryRecord[]): RunFacts => {
  // An id that was forgotten may have been used again: only its last run is meant.
  const from = records.findLastIndex(({ event }) => event.type === 'RunAccepted');
  const first = records[from];
  if (first?.event.type !== 'RunAccepted') throw new Defect('the history of a run begins with RunAccepted');
  const facts = new Facts();
  for (const { event } of records.slice(from)) facts.take(event as RunEvent);
  return {
    accepted: first.event.data,
    seq: records.at(-1)?.lane.seq ?? 0,
    end: facts.end,
    undoing: facts.undoing || willUndo(first.event.data, facts),
    successes: [...facts.successes].map(([stepId, result]) => ({ stepId, result })),
    steps: [...facts.steps.values()].map(factOf),
  };
};

/** A run that was cancelled so undoes what it has applied, as far as its tools say how. */
const willUndo = ({ compensate, tools }: RunEventData<'RunAccepted'>, { end, wish, steps }: Facts): boolean => {
  if (end?.reason !== 'cancelled' || !(wish ?? compensate === 'on_cancel')) return false;
  return [...steps.values()].some(
    (step) => tools[step.tool]?.compensate !== undefined && factOf(step).effect !== 'none',
  );
};

const factOf = ({ stepId, tool, policy, unsettled, applied, conflict }: Known): StepFact => {
  const acts = policy === 'run' || (policy !== 'ask' && hasEffect(policy));
  if (!acts) return { stepId, tool, policy, effect: 'none' };
  return { stepId, tool, policy, effect: applied ? 'applied' : unsettled.size > 0 || conflict ? 'in_doubt' : 'none' };
};

class Facts {
  readonly steps = new Map<string, Known>();
  readonly successes = new Map<string, Json>();
  end: RunEventData<'RunEnded'> | null = null;
  undoing = false;
  /** Whether the last cancel wants its effects undone; null where none says it. */
  wish: boolean | null = null;
  private readonly detached = new Set<string>();
  /** Steps that have waited for a run long enough, with what they have for a result. */
  private readonly left = new Map<string, { readonly childRunId: string; readonly result: Json }>();
  /** Steps that wait for a run, by its id. */
  private readonly waiting = new Map<string, string[]>();

  take(event: RunEvent): void {
    switch (event.type) {
      case 'StepScheduled':
        this.step(event.data.stepId, event.data.tool, event.data.policy).unsettled.add(event.data.attempt);
        return;
      case 'AttemptClosed':
      case 'AttemptSkipped':
        this.steps.get(event.data.stepId)?.unsettled.delete(event.data.attempt);
        return;
      case 'StepFailed':
        if (event.data.effect === 'none') this.steps.get(event.data.stepId)?.unsettled.delete(event.data.attempt);
        return;
      case 'DoubtSettled':
        if (event.data.verdict === 'absent') this.steps.get(event.data.stepId)?.unsettled.clear();
        return;
      case 'StepSucceeded':
        return this.succeeded(event.data);
      case 'TurnTaken':
        if (event.data.answer !== undefined) this.note(event.data.stepId, event.data.answer as Json);
        return;
      case 'ConflictFound':
        this.step(event.data.stepId, '', 'unprotected').conflict = true;
        return;
      case 'CancelRequested':
        this.wish = event.data.compensate ?? this.wish;
        return;
      case 'CompensationStarted':
        this.undoing = true;
        return;
      case 'RunEnded':
        this.end = event.data;
        return;
      default:
        this.takeChild(event);
    }
  }

  private takeChild(event: RunEvent): void {
    if (event.type === 'ChildStarted' || event.type === 'ChildAttached') {
      const { stepId, childRunId } = event.data;
      this.step(stepId, `run ${childRunId}`, 'run').unsettled.add(0);
      this.waiting.set(childRunId, [...(this.waiting.get(childRunId) ?? []), stepId]);
      if (event.type === 'ChildStarted' && event.data.detached) this.detached.add(childRunId);
    } else if (event.type === 'ChildLeft') {
      const { stepId, childRunId } = event.data;
      const result = { runId: childRunId, status: 'running' };
      // What is not detached ends with its run, unless it has succeeded before.
      if (this.detached.has(childRunId)) this.note(stepId, result);
      else this.left.set(stepId, { childRunId, result });
    } else if (event.type === 'ChildEnded') {
      const { childRunId, reason, output } = event.data;
      for (const stepId of this.waiting.get(childRunId) ?? []) {
        this.childEnded(stepId, event.data);
        const left = this.left.get(stepId);
        if (reason === 'succeeded') this.note(stepId, left?.result ?? ((output ?? null) as Json));
      }
    }
  }

  private childEnded(stepId: string, { totals, reason, used }: RunEventData<'ChildEnded'>): void {
    const step = this.step(stepId, '', 'run');
    if (totals !== undefined && totals.applied > 0) step.applied = true;
    // It counts as a child itself; what those that it has begun have done is not in its totals.
    const isAlone = Number(used?.['children'] ?? 2) <= 1;
    const isSettled = totals?.inDoubt === 0 && totals.running === 0 && isAlone;
    const nothing = totals === undefined ? reason === 'refused' : isSettled;
    if (nothing) step.unsettled.clear();
  }

  private succeeded({ stepId, attempt, result, omitted }: RunEventData<'StepSucceeded'>): void {
    const step = this.step(stepId, '', 'ask');
    if (step.policy !== 'run') step.applied = true;
    step.unsettled.delete(attempt);
    this.note(stepId, (omitted ?? result ?? null) as Json);
  }

  private note(stepId: string, result: Json): void {
    if (!this.successes.has(stepId)) this.successes.set(stepId, result);
  }

  private step(stepId: string, tool: string, policy: StepFact['policy']): Known {
    const known = this.steps.get(stepId);
    if (known !== undefined) return known;
    const step: Known = { stepId, tool, policy, unsettled: new Set(), applied: false, conflict: false };
    this.steps.set(stepId, step);
    return step;
  }
}
