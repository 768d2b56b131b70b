import type { StepOrder } from '@holdfast/contracts';
import { RULES, type Rules } from '../rules.js';
import { step } from '../session.machine.js';
import type { ClaimContent, News, OrderRead, Output } from '../session.messages.js';
import { initialState, type ExecutorState, type Settings, type Time } from '../session.state.js';

export const QUEUE = 'default';
export const HERE = { queue: QUEUE, partition: 0 } as const;
const START = 1_000_000;

/** An order with defaults for everything the scenario does not talk about. */
export const order = (name: string, over: Partial<StepOrder> = {}): StepOrder => ({
  attemptId: `run-1/${name}/0`,
  runId: 'run-1',
  stepId: name,
  attempt: 0,
  tool: 'send@1',
  toolHash: 'hash',
  policy: 'verifiable',
  args: { to: name },
  argsHash: `args of ${name}`,
  key: `key/${name}`,
  startBy: START + 60_000,
  timeoutMs: 5_000,
  claimsFrom: 0,
  settling: false,
  alone: false,
  keyValidUntil: null,
  ...over,
});

export const pure = (name: string): StepOrder => order(name, { policy: 'pure' });

/** One worker process: what it is told, and what it asks for. Time moves only by `wait`. */
export class Scenario {
  state: ExecutorState;
  readonly outputs: Output[] = [];
  time: Time = { now: START, mono: 0 };
  private commandsNext = 0;
  private readonly clones: boolean;

  constructor(rules: Partial<Rules> = {}, settings: Partial<Settings> = {}) {
    this.state = initialState({ rules: { ...RULES, ...rules }, ...settings });
    this.clones = true;
  }

  /** A worker with an open session, a fresh heartbeat and the seat of partition 0. */
  static ready(rules: Partial<Rules> = {}, settings: Partial<Settings> = {}): Scenario {
    return new Scenario(rules, settings).opens('S0').beats().gainsSeat();
  }

  feed(news: News): this {
    // What the state holds must be plain data: every step runs on a copy.
    if (this.clones) this.state = structuredClone(this.state);
    const { outputs } = step(this.state, { ...this.time, ...news });
    this.outputs.push(...outputs);
    return this;
  }

  wait(ms: number): this {
    this.time = { now: this.time.now + ms, mono: this.time.mono + ms };
    return this;
  }

  /** Time passes with heartbeats all along. */
  live(ms: number): this {
    for (let left = ms; left > 0; left -= 500) this.wait(Math.min(500, left)).beats().feed({ type: 'tick' });
    return this;
  }

  opens(session: string): this {
    return this.feed({ type: 'session-opened', session });
  }

  beats(
    sent: Time = this.time,
    clockOffMs = 0,
    clockIsRight = Math.abs(clockOffMs) <= this.state.settings.skewMs,
  ): this {
    const sessions = [...this.state.sessions.keys()];
    return this.feed({ type: 'beat-acknowledged', sessions, sent, clockOffMs, clockIsRight });
  }

  gainsSeat(from = this.commandsNext): this {
    this.commandsNext = from;
    return this.feed({ type: 'seat-gained', ...HERE, from });
  }

  losesSeat(): this {
    return this.feed({ type: 'seat-lost', ...HERE });
  }

  /** Commands come in, one order each. */
  reads(...orders: (StepOrder | OrderRead)[]): this {
    const commands = orders.map((one, i) => ({
      offset: this.commandsNext + i,
      orders: ['order' in one ? one : { order: one, lane: 3, refusal: null }],
    }));
    this.commandsNext += orders.length;
    return this.feed({ type: 'commands-read', ...HERE, commands, next: this.commandsNext });
  }

  readsNoCommand(): this {
    const commands = [{ offset: this.commandsNext, orders: null }];
    this.commandsNext += 1;
    return this.feed({ type: 'commands-read', ...HERE, commands, next: this.commandsNext });
  }

  /** The claims at and after `from` are delivered. */
  seesClaims(from: number, ...claims: (ClaimContent | null)[]): this {
    return this.feed({ type: 'claims-read', ...HERE, ...read(from, claims) });
  }

  seesEarlierClaims(from: number, ...claims: (ClaimContent | null)[]): this {
    return this.feed({ type: 'earlier-claims-read', ...HERE, ...read(from, claims) });
  }

  /** The last claims that were sent are in the log at `offset`. */
  landed(offset: number): this {
    const append = this.lastAppend().append;
    return this.feed({ type: 'claims-answered', ...HERE, append, answer: { outcome: 'appended', offset } });
  }

  unanswered(): this {
    const append = this.lastAppend().append;
    return this.feed({ type: 'claims-answered', ...HERE, append, answer: { outcome: 'unknown' } });
  }

  ends(name: string, outcome: Extract<News, { type: 'call-ended' }>['outcome'] = SUCCEEDED): this {
    return this.feed({ type: 'call-ended', attemptId: id(name), outcome });
  }

  journaled(...names: string[]): this {
    return this.feed({ type: 'journal-acknowledged', attemptIds: names.map(id) });
  }

  aborts(mode: 'abort' | 'drain' = 'abort'): this {
    return this.feed({ type: 'abort-read', runId: 'run-1', mode });
  }

  lastAppend(): Extract<Output, { type: 'append-claims' }> {
    const last = this.of('append-claims').at(-1);
    if (last === undefined) throw new Error('no claim was sent');
    return last;
  }

  of<T extends Output['type']>(type: T): Extract<Output, { type: T }>[] {
    return this.outputs.filter((output): output is Extract<Output, { type: T }> => output.type === type);
  }

  /** Step names of all calls that were begun, with repeats. */
  calls(): string[] {
    return this.of('start-call').map(({ order }) => order.stepId);
  }

  /** `<type> <step>` of all journal records. */
  words(): string[] {
    return this.of('write-journal').map(({ entry }) => `${entry.type} ${entry.data.stepId}`);
  }

  /** Step names of the claims of each append. */
  claims(): string[][] {
    return this.of('append-claims').map(({ claims }) => claims.map(({ attemptId }) => attemptId.split('/')[1] ?? ''));
  }

  position(): number | undefined {
    return this.of('report-position').at(-1)?.next;
  }
}

export const SUCCEEDED = { outcome: 'succeeded', result: { ok: true } } as const;

export const id = (name: string): string => `run-1/${name}/0`;

export const claimedBy = (
  session: string,
  name: string,
  over: { deadline?: number; startBy?: number } = {},
): ClaimContent => ({
  type: 'AttemptClaimed',
  data: {
    attemptId: id(name),
    session,
    deadline: over.deadline ?? START + 5_000,
    startBy: over.startBy ?? START + 60_000,
    argsHash: `args of ${name}`,
  },
});

export const closed = (name: string): ClaimContent => ({
  type: 'AttemptClosed',
  data: { attemptId: id(name), closedBy: 'coordinator', startBy: START + 60_000 },
});

export const looked: ClaimContent = { type: 'PartitionLooked', data: { lookedBy: 'coordinator' } };

const read = (from: number, claims: (ClaimContent | null)[]) => ({
  from,
  claims: claims.map((claim, i) => ({ offset: from + i, claim })),
  next: from + claims.length,
});
