import type { StepOrder } from '@holdfast/contracts';
import { hasEffect, type LiveRun, type RestoredLane } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import type { Work } from '../../apps/coordinator/src/lane/lane.types.js';
import type { FirstClaim, Settings } from '../../apps/coordinator/src/run/env.js';
import type { Rules } from '../../apps/coordinator/src/run/rules.js';
import { asked, LaneHarness } from './lane-harness.js';
import { FakeHistory } from './fake-history.js';
import { request, verdict, word } from './messages.js';
import { ModelEffects } from './model-effects.js';
import { readAgain } from './snapshots.js';

type Call = {
  readonly order: StepOrder;
  readonly session: string;
  readonly deadline: number;
  acted: boolean;
  over: boolean;
};

/**
 * Executors, a reconciler and a person as they ought to be, over the claims log and the effects they cause, with a
 * coordinator that may be replaced at any time. Every choice is the caller's: what happens next, and to whom.
 */
export class ModelWorld {
  lane: LaneHarness;
  readonly effects = new ModelEffects();
  readonly sessions = new Map<string, 'alive' | 'dead'>([
    ['S0', 'alive'],
    ['S1', 'alive'],
  ]);
  readonly #firsts = new Map<string, FirstClaim>();
  readonly #orders = new Map<string, StepOrder>();
  readonly #calls: Call[] = [];
  readonly #inputs: Record<'requests' | 'journal' | 'verdicts', Work[]> = { requests: [], journal: [], verdicts: [] };
  #closesSeen = 0;
  #reactionsSeen = 0;
  #owners = 1;
  #asked = 0;

  readonly #taken: LaneHarness['taken'] = [];

  /** With settings by which snapshots are taken, whoever takes the lane over goes on from the latest one. */
  constructor(
    readonly rules: Partial<Rules> = {},
    readonly settings: Partial<Settings> = {},
  ) {
    this.lane = new LaneHarness({ rules, settings }).seat();
  }

  /** All snapshots that were taken, by whomever. */
  get taken(): LaneHarness['taken'] {
    return [...this.#taken, ...this.lane.taken];
  }

  /** Somebody who takes the lane over in a world of his own. */
  replacement(settings: Partial<Settings>, snapshot: () => RestoredLane | null = () => null): LaneHarness {
    const history = new FakeHistory();
    history.append(this.lane.history.values);
    const harness = new LaneHarness({ owner: 'another', history, clock: this.lane.clock, rules: this.rules, settings });
    harness.snapshot = snapshot;
    return harness.seat();
  }

  get now(): number {
    return this.lane.clock.now;
  }

  submit(program: Plan): void {
    this.#input('requests', asked(request('SubmitRun', { requestId: 'submit', runId: 'run-1', program, input: {} })));
  }

  cancel(): void {
    this.#input('requests', asked(request('CancelRun', { requestId: 'cancel', runId: 'run-1' })));
  }

  /** Something is asked of the run by whoever may steer it. */
  ask(
    type: 'CancelRun' | 'PauseRun' | 'ResumeRun' | 'SteerRun' | 'KillRun',
    more: { readonly deadlineMs?: number } = {},
  ): void {
    const data = { requestId: `ask ${(this.#asked += 1)}`, runId: 'run-1', ...more };
    this.#input('requests', asked(request(type, data)));
  }

  tick(ms: number): void {
    this.lane.tick(ms);
  }

  /** Somebody claims an attempt whose command is out. */
  claim(which: number, who: number): void {
    const waiting = [...this.#takeOrders().values()].filter(
      (order) => this.now < order.startBy && !this.#isDecided(order),
    );
    const order = pick(waiting, which);
    const session = pick(this.#living(), who);
    if (order === undefined || session === undefined) return;
    const deadline = this.now + order.timeoutMs;
    if (order.policy !== 'pure') {
      const first: FirstClaim = { kind: 'claimed', session, deadline, offset: this.#firsts.size };
      this.#firsts.set(order.attemptId, first);
    }
    this.#calls.push({ order, session, deadline, acted: false, over: false });
  }

  /** The claims log is read: first claims and closes become known. */
  readClaims(): void {
    for (const id of this.lane.closes.slice(this.#closesSeen)) {
      if (!this.#firsts.has(id)) this.#firsts.set(id, { kind: 'closed', offset: this.#firsts.size });
    }
    this.#closesSeen = this.lane.closes.length;
    const claims = [...this.lane.watched].flatMap((id) => {
      const first = this.#firsts.get(id);
      return first === undefined ? [] : [[id, first] as const];
    });
    if (claims.length > 0) this.lane.give({ type: 'ClaimsKnown', claims });
  }

  /** A call acts: by a living process, before its deadline, whatever others think of its session. */
  act(which: number): void {
    const call = pick(
      this.#calls.filter((one) => !one.acted && !one.over && this.#mayCall(one)),
      which,
    );
    if (call === undefined) return;
    call.acted = true;
    this.effects.make(call.order);
  }

  /** A call ends, and its session says how. */
  speak(which: number, how: 'succeeded' | 'failed' | 'skipped' | 'unknown'): void {
    const call = pick(
      this.#calls.filter((one) => !one.over && this.sessions.get(one.session) === 'alive'),
      which,
    );
    if (call === undefined) return;
    const { runId, stepId, attempt } = call.order;
    const who = { runId, step: stepId, attempt, session: call.session };
    const late = this.now > call.deadline;
    call.over = true;
    const more = { deadline: call.deadline };
    if (how === 'unknown' || (late && !call.acted)) this.#say(word('AttemptUnknown', who, more));
    else if (call.acted) this.#say(word('AttemptSucceeded', who, more));
    else if (how === 'succeeded') return this.#actAndSay(call, who);
    else if (how === 'failed') this.#say(word('AttemptFailed', who, { ...more, retry: 'now' }));
    else this.#say(word('AttemptSkipped', who, more));
  }

  /** The process of a session dies; what it holds is silent from now on. */
  kill(who: number): void {
    const session = pick(this.#living(), who);
    if (session === undefined) return;
    this.sessions.set(session, 'dead');
    this.sessions.set(`S${this.sessions.size}`, 'alive');
    this.readClaims();
    this.lane.dies(session);
  }

  /** A living session is taken for dead. */
  mistake(who: number): void {
    const session = pick(this.#living(), who);
    if (session === undefined) return;
    this.readClaims();
    this.lane.dies(session, 'session_expired');
  }

  back(): void {
    for (const session of this.#living()) this.lane.give({ type: 'SessionBack', session });
  }

  /** The reconciler asks the tools about all doubts, and they answer truthfully. */
  reconcile(): void {
    for (const { step, doubt, applied } of this.#doubts()) {
      if (step.policy !== 'verifiable' || !step.attempts.every(({ status }) => status === 'doubtful')) continue;
      const found = applied ? 'applied' : 'absent';
      const more = { stepId: step.stepId, attempt: doubt.attempt, askedAt: this.now, probe: doubt.probes + 1 };
      this.#input('verdicts', { kind: 'verdict', verdict: verdict(doubt.seq, found, more) });
    }
  }

  /** A person looks at all open questions and answers them truthfully. */
  answer(): void {
    const run = this.#live();
    for (const { seq, stepId, choices } of Object.values(run?.escalations ?? {})) {
      const applied = this.effects.isMade(`0123456789abcdef/${stepId}`);
      const inDoubt = applied ? ('applied' as const) : ('absent' as const);
      const choice = choices.includes('retry') ? 'retry' : choices.includes('applied') ? inDoubt : 'acknowledge';
      const requestId = `answer ${(this.#asked += 1)}`;
      const data = { requestId, runId: 'run-1', escalation: seq, choice, lookedAt: this.now } as const;
      this.#input('requests', asked(request('AnswerEscalation', data)));
    }
  }

  /** Another coordinator takes the lane: it knows what is in the log, and nothing else. */
  replace(): void {
    this.#owners += 1;
    const { history, clock } = this.lane;
    this.#takeOrders();
    this.#taken.push(...this.lane.taken);
    const latest = this.#taken.at(-1);
    this.lane = new LaneHarness({
      owner: `C${this.#owners}`,
      history,
      clock,
      rules: this.rules,
      settings: this.settings,
    });
    if (latest !== undefined) this.lane.snapshot = () => readAgain(latest);
    this.lane.seat();
    this.#closesSeen = 0;
    this.#reactionsSeen = 0;
    for (const [topic, works] of Object.entries(this.#inputs)) {
      const from = this.lane.machine.lane.positions[topic] ?? 0;
      if (works.length > from) this.lane.arrive(...works.slice(from));
    }
    this.readClaims();
    for (const [session, state] of this.sessions) if (state === 'dead') this.lane.dies(session);
  }

  /** No more faults: everybody does what is to be done, until the run has ended or nothing happens any more. */
  settleDown(): void {
    this.back();
    this.ask('ResumeRun');
    for (let round = 0; round < 200 && this.#live() !== undefined; round += 1) {
      this.readClaims();
      for (let each = 0; each < 12; each += 1) this.claim(0, each);
      this.readClaims();
      for (let each = 0; each < 12; each += 1) this.speak(0, 'succeeded');
      this.reconcile();
      this.answer();
      this.tick(round < 40 ? 250 : 5_000);
    }
  }

  get runStatus(): string {
    return this.lane.machine.lane.runs.get('run-1')?.run.status ?? 'none';
  }

  #actAndSay(call: Call, who: Parameters<typeof word>[1]): void {
    if (!this.#mayCall(call)) return this.#say(word('AttemptSkipped', who, { deadline: call.deadline }));
    call.acted = true;
    this.effects.make(call.order);
    this.#say(word('AttemptSucceeded', who, { deadline: call.deadline }));
  }

  #say(said: ReturnType<typeof word>): void {
    this.#input('journal', { kind: 'journal', word: said });
  }

  #input(topic: keyof ModelWorld['inputs'], work: Work): void {
    this.#inputs[topic].push(work);
    this.lane.arrive(work);
  }

  get inputs(): Record<'requests' | 'journal' | 'verdicts', readonly Work[]> {
    return this.#inputs;
  }

  #mayCall({ session, deadline, order }: Call): boolean {
    return this.sessions.get(session) === 'alive' && this.now < deadline && this.now < order.startBy;
  }

  #isDecided({ attemptId, policy }: StepOrder): boolean {
    if (policy !== 'pure') return this.#firsts.has(attemptId);
    return this.#calls.some(
      ({ order, session, over }) => order.attemptId === attemptId && (over || this.sessions.get(session) === 'alive'),
    );
  }

  #takeOrders(): ReadonlyMap<string, StepOrder> {
    for (const reaction of this.lane.reactions.slice(this.#reactionsSeen)) {
      if (reaction.kind === 'command') this.#orders.set(reaction.order.attemptId, reaction.order);
    }
    this.#reactionsSeen = this.lane.reactions.length;
    return this.#orders;
  }

  #living(): readonly string[] {
    return [...this.sessions].filter(([, state]) => state === 'alive').map(([session]) => session);
  }

  #live(): LiveRun | undefined {
    const run = this.lane.machine.lane.runs.get('run-1')?.run;
    return run === undefined || run.status === 'ended' ? undefined : run;
  }

  #doubts() {
    const run = this.#live();
    return (run?.steps ?? []).flatMap((step) => {
      if (step.doubt === null || !hasEffect(step.policy)) return [];
      const applied = this.effects.isMade(`${run?.runKey}/${step.stepId}`);
      return [{ step, doubt: step.doubt, applied }];
    });
  }
}

const pick = <T>(all: readonly T[], which: number): T | undefined => all[which % Math.max(1, all.length)];
