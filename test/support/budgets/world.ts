import { deepStrictEqual } from 'node:assert';
import {
  attemptId,
  limitsOf,
  evolve,
  openStep,
  type Amounts,
  type LiveRun,
  type RunEvent,
  type RunState,
} from '@holdfast/events';
import type { Budget, Plan } from '@holdfast/programs';
import { advanceRun } from '../../../apps/coordinator/src/run/advance.decide.js';
import { draftOf, laneDraftOf, record, type RunDraft } from '../../../apps/coordinator/src/run/draft.js';
import type { Env, FirstClaim, LostSession } from '../../../apps/coordinator/src/run/env.js';
import { decideCancel } from '../../../apps/coordinator/src/run/cancel.decide.js';
import { decideSteer } from '../../../apps/coordinator/src/run/steer.decide.js';
import { decideJournal } from '../../../apps/coordinator/src/run/journal.decide.js';
import { RULES, type Rules } from '../../../apps/coordinator/src/run/rules.js';
import { decideVerdict } from '../../../apps/coordinator/src/run/verdict.decide.js';
import { T0 } from '../clock.js';
import { passOf } from '../deciding.js';
import { queueOf } from '../lane-harness.js';
import { request, verdict, word } from '../messages.js';
import { accepted, pinsOf } from '../run-events.js';
import { envOf } from '../specification.js';
import { catalogueOf, tool } from '../tools.js';

/** What a call of `priced` may use at most. */
export const COST = { tokensIn: 40, 'money:USD': '0.40' } as const;
const tools = catalogueOf(
  tool('repeatable', { name: 'priced', cost: COST }),
  tool('verifiable', { name: 'paid', cost: COST }),
  tool('verifiable'),
  tool('keyed'),
);

const fleet = {
  queues: { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools: new Set(tools.keys()) }] }) },
};

/** An attempt as it really is, whatever history knows of it. */
export type Real = {
  readonly attemptId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly tool: string;
  readonly settling: boolean;
  began: boolean;
  applied: boolean;
  used: { tokensIn: number; cents: number };
};

/** One run, its pure decisions, and the truth about its calls. Time passes only when somebody says so. */
export class BudgetWorld {
  readonly events: RunEvent[] = [];
  readonly real = new Map<string, Real>();
  readonly #firsts = new Map<string, FirstClaim>();
  readonly #lost = new Map<string, LostSession>();
  readonly #rules: Rules;
  run: RunState | undefined;
  now = T0;

  constructor(program: Plan, budget: Budget, rules: Partial<Rules> = {}) {
    this.#rules = { ...RULES, ...rules };
    // It is not checked here as one that is submitted: only what it may use is of interest.
    const begun = accepted('priced', program, { tools: pinsOf(tools), limits: limitsOf(budget) });
    this.#decide((draft) => void record(draft, begun));
  }

  get env(): Env {
    return envOf({
      now: this.now,
      rules: this.#rules,
      catalogue: tools,
      fleet,
      firsts: this.#firsts,
      lost: this.#lost,
    });
  }

  get live(): LiveRun | null {
    return this.run === undefined || this.run.status === 'ended' ? null : this.run;
  }

  /** Attempts that history has open, with the truth about them. */
  open(): readonly Real[] {
    const ids = (this.live?.steps ?? []).flatMap(({ stepId, attempts }) =>
      attempts.map(({ attempt }) => attemptId({ runId: 'run-1', stepId, attempt })),
    );
    return ids.flatMap((id) => this.real.get(id) ?? []);
  }

  claim(real: Real): void {
    if (this.#firsts.has(real.attemptId)) return;
    const deadline = this.now + 1_000;
    this.#firsts.set(real.attemptId, { kind: 'claimed', session: real.attemptId, deadline, offset: 1 });
    real.began = true;
  }

  isClosed(real: Real): boolean {
    return this.#firsts.get(real.attemptId)?.kind === 'closed';
  }

  close(real: Real): void {
    if (!this.#firsts.has(real.attemptId)) this.#firsts.set(real.attemptId, { kind: 'closed', offset: 2 });
    this.#decide(() => undefined);
  }

  say(...[type, real, more]: [Parameters<typeof word>[0], Real, object?]): void {
    const who = { step: real.stepId, attempt: real.attempt, session: real.attemptId };
    this.#decide((draft) => decideJournal(draft, word(type, who, more as never), this.env));
  }

  judge(stepId: string, found: 'applied' | 'absent'): void {
    const doubt = openStep(this.live ?? undefined, stepId)?.doubt;
    if (!doubt) return;
    const about = { stepId, attempt: doubt.attempt, askedAt: this.now };
    this.#decide((draft) => decideVerdict(draft, verdict(doubt.seq, found, about), this.env));
  }

  steer(limits: Budget): void {
    const about = { requestId: `steer ${this.events.length}`, runId: 'run-1', limits };
    this.#decide((draft) => decideSteer(draft, request('SteerRun', about), this.env));
  }

  cancel(): void {
    const about = { requestId: 'cancel', runId: 'run-1', withinMs: 2_000 };
    this.#decide((draft) => decideCancel(draft, request('CancelRun', about), this.env));
  }

  die(real: Real): void {
    this.#lost.set(real.attemptId, { cause: 'session_ended', endedAt: this.now, clean: false });
    this.#decide(() => undefined);
  }

  pass(ms: number): void {
    this.now += ms;
    this.#decide(() => undefined);
  }

  /** Somebody who has nothing but the history goes on with it. */
  takeOver(): void {
    const folded = this.fold();
    deepStrictEqual(folded, this.run);
    this.run = folded;
  }

  fold(): RunState | undefined {
    const stored = JSON.parse(JSON.stringify(this.events)) as RunEvent[];
    return stored.reduce<RunState | undefined>((run, event, seq) => evolve(run, event, seq), undefined);
  }

  spentAfter(at: number): Amounts {
    const run = this.events
      .slice(0, at)
      .reduce<RunState | undefined>((known, event, seq) => evolve(known, event, seq), undefined);
    return run === undefined || run.status === 'ended' ? {} : run.spent;
  }

  #decide(decide: (draft: RunDraft) => void): void {
    const draft = draftOf('run-1', this.run, laneDraftOf(this.events.length - 1));
    decide(draft);
    advanceRun(draft, this.env, passOf(64));
    for (const { event } of draft.events) this.#note(event);
    this.run = draft.run;
  }

  #note(event: RunEvent): void {
    this.events.push(event);
    if (event.type !== 'StepScheduled') return;
    const { stepId, attempt, settling } = event.data;
    const id = attemptId({ runId: 'run-1', stepId, attempt });
    const used = { tokensIn: 0, cents: 0 };
    this.real.set(id, {
      attemptId: id,
      stepId,
      attempt,
      tool: event.data.tool,
      settling,
      began: false,
      applied: false,
      used,
    });
  }
}
