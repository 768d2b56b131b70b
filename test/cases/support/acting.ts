import type { StepOrder } from '@holdfast/contracts';
import type { SeveralLanes } from '../../support/several-lanes.js';
import { word } from '../../support/messages.js';

/** What a tool does when it is called, and what it answers. */
export type Act = (order: StepOrder) => unknown;

/** An executor of which nothing goes wrong: it makes each call that was ordered, once, in the order of the orders. */
export class Acting {
  readonly made = new Set<string>();

  constructor(
    readonly lanes: SeveralLanes,
    readonly act: Act,
  ) {}

  /** The calls that were ordered and not made yet, of runs that are still at it. */
  get open(): readonly StepOrder[] {
    const orders = this.lanes.places.flatMap(({ harness }) =>
      harness.reactions.flatMap((reaction) => (reaction.kind === 'command' ? [reaction.order] : [])),
    );
    return orders.filter(({ attemptId, runId, stepId, attempt }) => {
      const step = this.lanes.live(runId)?.steps.find((known) => known.stepId === stepId);
      const held = step?.attempts.some((known) => known.attempt === attempt && known.status !== 'doubtful');
      return held === true && this.lanes.live(runId)?.cancel === null && !this.made.has(attemptId);
    });
  }

  /** Makes the next call of a run, or of any. */
  next(runId?: string): boolean {
    const order = this.open.find((known) => runId === undefined || known.runId === runId);
    if (order === undefined) return false;
    this.make(order);
    return true;
  }

  make(order: StepOrder, session = 'S'): void {
    const { attemptId, runId, stepId, attempt } = order;
    this.made.add(attemptId);
    this.lanes.at(runId).claims(attemptId, session);
    const result = this.act(order) as never;
    const said = word('AttemptSucceeded', { runId, step: stepId, attempt, session }, { result });
    this.lanes.put(this.lanes.laneOf(runId), { kind: 'journal', word: said });
  }

  /** Goes on until nothing is asked and nothing is to be made any more. */
  finish(): this {
    for (let round = 0; round < 1_000; round += 1) {
      this.lanes.calm();
      if (!this.next()) return this;
    }
    throw new Error('there is no end of calls');
  }
}
