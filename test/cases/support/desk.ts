import type { ApprovalRule, Json, Plan } from '@holdfast/programs';
import { dataOf, lastReply } from '../../support/asking.js';
import { LaneHarness, queueOf } from '../../support/lane-harness.js';
import { step } from '../../support/plans.js';
import type { Submitted } from '../../support/submission.js';

/** Every call of the tool that nobody can ask, and that nobody makes twice, needs an approval. */
export const APPROVED: readonly ApprovalRule[] = [{ tool: 'unprotected' }];
export const once = (id: string, args: Json = {}, more: object = {}) => step(id, 'unprotected', { args, ...more });

const RUN = 'run-1';

/**
 * A run whose calls may need people, with workers who make what is ordered at once, as long as they are there. What the
 * sink commits is counted by step.
 */
export class Desk {
  lane: LaneHarness;
  readonly #done = new Map<string, string[]>();
  #owners = 1;
  #decisions = 0;

  constructor(plan: Plan, more: Submitted = {}) {
    this.lane = new LaneHarness({ settings: { runMs: 10 * 86_400_000, escalationMs: 5 * 86_400_000 } });
    this.lane.seat().submit(plan, more);
    this.work();
  }

  /** E of a step: what the sink holds for it. */
  effects(stepId: string): number {
    return this.#done.get(stepId)?.length ?? 0;
  }

  /** What was asked of the sink, in order. */
  get calls(): readonly string[] {
    return [...this.#done.values()].flat();
  }

  /** The numbers of the questions that wait, by step. */
  get pending(): Readonly<Record<string, number>> {
    return this.lane.questions();
  }

  question(stepId: string): number {
    const seq = this.pending[stepId];
    if (seq === undefined) throw new Error(`nothing is asked about ${stepId}`);
    return seq;
  }

  decide(stepId: string, choice: string, more: Parameters<LaneHarness['decides']>[2] = {}): this {
    const requestId = `decision ${(this.#decisions += 1)}`;
    this.lane.decides(this.question(stepId), choice, { requestId, ...more });
    return this.work();
  }

  passes(ms: number): this {
    this.lane.tick(ms);
    return this.work();
  }

  /** All processes end, and others begin from the log. */
  restart(afterMs = 0): this {
    const { history, clock, machine, catalogue } = this.lane;
    clock.forward(afterMs);
    this.#owners += 1;
    const next = new LaneHarness({ owner: `C${this.#owners}`, history, clock, settings: machine.setting.settings });
    next.catalogue = catalogue;
    this.lane = next.seat().tick(1);
    return this.work();
  }

  workers(are: 'there' | 'away'): this {
    this.lane.queues = { default: are === 'there' ? queueOf() : queueOf({ partitions: [] }) };
    return are === 'there' ? this.passes(1) : this;
  }

  /** Every order that stands is claimed, made and answered, once each. */
  work(): this {
    for (let before = -1; before !== this.calls.length;) {
      before = this.calls.length;
      for (const id of this.lane.commands) this.#make(id);
    }
    return this;
  }

  #make(id: string): void {
    const [runId = RUN, step = '', attempt = ''] = id.split('/');
    if (this.calls.includes(id)) return;
    this.#done.set(step, [...(this.#done.get(step) ?? []), id]);
    const who = { runId, step, attempt: Number(attempt), session: `S ${id}` };
    this.lane.claims(id, who.session).say('AttemptSucceeded', who, { result: `result of ${step}` });
  }

  /** Outcome and words of the last reply. */
  get reply(): { readonly outcome: string; readonly code?: string | undefined; readonly message?: string | undefined } {
    const last = lastReply(this.lane);
    if (last === undefined) throw new Error('nobody was answered');
    return last;
  }

  told(type: string): readonly Readonly<Record<string, unknown>>[] {
    return dataOf(this.lane, type);
  }

  get reason(): string | undefined {
    return this.lane.run().end?.reason;
  }
}
