import { deepStrictEqual } from 'node:assert';
import type { Request } from '@holdfast/contracts';
import { openStep, type HistoryRecord, type RestoredLane } from '@holdfast/events';
import { newLaneMachine, stepLane } from '../../apps/coordinator/src/lane/lane.machine.js';
import type { Facts, LaneInput, LaneMachine, LaneOutput, Work } from '../../apps/coordinator/src/lane/lane.types.js';
import type { FirstClaim, QueueView, Settings } from '../../apps/coordinator/src/run/env.js';
import { RULES, type Rules } from '../../apps/coordinator/src/run/rules.js';
import type { Reaction } from '../../apps/coordinator/src/run/run.react.js';
import { ManualClock } from './clock.js';
import { digest } from './digest.js';
import { FakeHistory } from './fake-history.js';
import { frozen } from './frozen.js';
import { Reader } from './history-reader.js';
import { request, verdict, word } from './messages.js';
import { settings } from './settings.js';
import { decision, submission, type Decision, type Submitted } from './submission.js';
import { allTools } from './tools.js';

export type HarnessOptions = {
  readonly owner?: string;
  readonly lane?: number;
  readonly lanes?: number;
  readonly history?: FakeHistory;
  readonly clock?: ManualClock;
  readonly rules?: Partial<Rules>;
  readonly settings?: Partial<Settings>;
};

/** An answer, and when it is given by the broker's clock. */
type Given = Decision & { readonly at?: number };
type Append = Extract<LaneOutput, { type: 'AppendHistory' }>;

/**
 * One coordinator's lane over a history in memory. Outputs are carried out at once, except appends, whose fate the
 * scenario decides: by default they are answered as they should be. After each step the fold of all that was written
 * must give the live state, and no run state may have been changed in place.
 */
export class LaneHarness {
  readonly machine: LaneMachine;
  readonly history: FakeHistory;
  readonly clock: ManualClock;
  readonly outputs: LaneOutput[] = [];
  readonly reactions: Reaction[] = [];
  readonly closes: string[] = [];
  readonly watched = new Set<string>();
  queues: Record<string, QueueView>;
  catalogue = allTools;
  /** Appends wait for `answer` instead of being answered. */
  holdsAppends = false;
  /** Compares the live state with the fold of all that was written, after each step. */
  proves = true;
  /** Acknowledges reactions at once. */
  reacts = true;
  /** The snapshot that is found when the lane is seated. */
  snapshot: (beyond: number) => RestoredLane | null = () => null;
  readonly taken: Extract<LaneOutput, { type: 'TakeSnapshot' }>[] = [];
  /** Reads its requests to the end at once, whenever it is told to. */
  readsRequests = true;
  readonly pending: Append[] = [];
  #answers = 0;
  readonly #offsets: Record<string, number> = {};
  readonly #reader: Reader;
  #asked = 0;

  constructor(options: HarnessOptions = {}) {
    this.history = options.history ?? new FakeHistory();
    this.#reader = new Reader(this.history);
    this.clock = options.clock ?? new ManualClock();
    this.queues = { default: queueOf() };
    this.machine = newLaneMachine({
      lane: options.lane ?? 0,
      lanes: options.lanes ?? 1,
      owner: options.owner ?? 'C1',
      settings: { ...settings, ...options.settings },
      rules: { ...RULES, ...options.rules },
      digest,
    });
  }

  get facts(): Facts {
    return { now: this.clock.now, catalogue: this.catalogue, fleet: { queues: this.queues } };
  }

  give(input: LaneInput): this {
    for (const output of stepLane(this.machine, input, this.facts)) this.#carryOut(output);
    for (const { run } of this.machine.lane.runs.values()) frozen(run);
    this.#prove();
    return this;
  }

  /** The live state is what anybody who folds the history has. */
  #prove(): void {
    const { flight, next, lane, phase } = this.machine;
    if (!this.proves || flight !== null || phase === 'stopped' || next !== this.history.values.length) return;
    const folded = this.#reader.catchUp().lane;
    deepStrictEqual({ ...lane, counts: null }, { ...folded, counts: null });
  }

  seat(): this {
    return this.give({ type: 'SeatGranted' });
  }

  unseat(): this {
    return this.give({ type: 'SeatLost' });
  }

  tick(ms = 0): this {
    this.clock.forward(ms);
    return this.give({ type: 'Tick' });
  }

  arrive(...works: readonly Work[]): this {
    const arrivals = works.map((work) => {
      const topic = topicOf(work);
      const next = (this.#offsets[topic] ?? this.machine.lane.positions[topic] ?? 0) + 1;
      this.#offsets[topic] = next;
      return { topic, next, bytes: JSON.stringify(work).length, work };
    });
    return this.give({ type: 'Arrived', term: this.machine.term, arrivals });
  }

  /** The inputs are followed again from where history stands. */
  rewind(): this {
    for (const topic of Object.keys(this.#offsets)) delete this.#offsets[topic];
    return this;
  }

  submit(program: unknown, more: Submitted = {}): this {
    return this.arrive(asked(submission(program, more)));
  }

  cancel(runId = 'run-1', withinMs?: number): this {
    const data = { requestId: `cancel ${runId}`, runId, ...(withinMs === undefined ? {} : { withinMs }) };
    return this.arrive(asked(request('CancelRun', data)));
  }

  /** Something is asked of `run-1`, of another run or of the lane, under an id of its own. */
  ask(type: Request['type'], data: Readonly<Record<string, unknown>> = {}): this {
    const home = 'lane' in data ? {} : { runId: 'run-1' };
    const about = { requestId: `${type} ${(this.#asked += 1)}`, ...home, ...data };
    return this.arrive(asked(request(type, about as never)));
  }

  say(...args: Parameters<typeof word>): this {
    return this.arrive({ kind: 'journal', word: word(...args) });
  }

  judge(...args: Parameters<typeof verdict>): this {
    return this.arrive({ kind: 'verdict', verdict: verdict(...args) });
  }

  /** A person's answer to a question by its number, given now unless told. */
  decides(question: number, choice: string, { at = this.clock.now, ...more }: Given = {}): this {
    const { requestId = `answer ${question} ${(this.#answers += 1)}` } = more;
    return this.arrive(asked(decision(question, choice, { ...more, requestId }), at));
  }

  /** Numbers of the questions that are open, by their steps. */
  questions(runId = 'run-1'): Readonly<Record<string, number>> {
    const run = this.run(runId);
    if (run.status === 'ended') return {};
    return Object.fromEntries(Object.values(run.escalations).map(({ stepId, seq }) => [stepId, seq]));
  }

  claims(attemptId: string, session = 'S', deadline = this.clock.now + 1_000): this {
    return this.firstClaim(attemptId, { kind: 'claimed', session, deadline, offset: 1 });
  }

  closed(attemptId: string): this {
    return this.firstClaim(attemptId, { kind: 'closed', offset: 2 });
  }

  firstClaim(attemptId: string, first: FirstClaim): this {
    return this.give({ type: 'ClaimsKnown', claims: [[attemptId, first]] });
  }

  dies(session = 'S', cause: 'session_ended' | 'session_expired' = 'session_ended'): this {
    const endedAt = cause === 'session_ended' ? this.clock.now : null;
    return this.give({ type: 'SessionLost', session, loss: { cause, endedAt, clean: false } });
  }

  /** The next pending append is written and answered; or written with the answer lost; or lost on its way. */
  answer(fate: 'through' | 'answer_lost' | 'lost' = 'through'): this {
    const append = this.pending.shift();
    if (append === undefined) throw new Error('nothing was appended');
    const offset = fate === 'lost' ? null : this.history.append(append.values);
    const answer =
      offset === null || fate === 'answer_lost'
        ? ({ outcome: 'unknown' } as const)
        : ({ outcome: 'appended', offset } as const);
    return this.give({ type: 'HistoryAppended', answer });
  }

  /** Names of all valid events with the step they are about: `StepScheduled a`. */
  get told(): readonly string[] {
    return this.events().map(({ event }) => nameOf(event));
  }

  events(): readonly HistoryRecord[] {
    return this.#reader.catchUp().records;
  }

  /** Attempts for which commands were published, in order. */
  get commands(): readonly string[] {
    return this.reactions.flatMap((reaction) => (reaction.kind === 'command' ? [reaction.order.attemptId] : []));
  }

  get replies(): readonly string[] {
    return this.reactions.flatMap((reaction) =>
      reaction.kind === 'reply'
        ? [`${reaction.reply.requestId}: ${reaction.reply.code ?? reaction.reply.outcome}`]
        : [],
    );
  }

  get stopped(): string | null {
    const stop = this.outputs.findLast((output) => output.type === 'StopLane');
    return stop?.type === 'StopLane' ? stop.reason : null;
  }

  /** The state of a run, as history has it. */
  run(runId = 'run-1') {
    const run = this.machine.lane.runs.get(runId)?.run;
    if (run === undefined) throw new Error(`there is no run ${runId}`);
    return run;
  }

  live(runId = 'run-1') {
    const run = this.run(runId);
    if (run.status === 'ended') throw new Error(`run ${runId} has ended`);
    return run;
  }

  doubtSeq(stepId = 'a'): number {
    const seq = openStep(this.live(), stepId)?.doubt?.seq;
    if (seq === undefined) throw new Error(`step ${stepId} is not in doubt`);
    return seq;
  }

  #carryOut(output: LaneOutput): void {
    this.outputs.push(output);
    switch (output.type) {
      case 'ReadSnapshot':
        return void this.give({ type: 'SnapshotRead', restored: this.snapshot(output.beyond) });
      case 'TakeSnapshot':
        this.taken.push(output);
        return void this.give({ type: 'SnapshotClosed' });
      case 'ReadHistory':
        return void this.give({ type: 'HistoryRead', ...this.history.read(output.from) });
      case 'AppendHistory':
        this.pending.push(output);
        return this.holdsAppends ? undefined : void this.answer();
      case 'React':
        this.reactions.push(...output.reactions);
        return this.reacts ? void this.give({ type: 'Reacted', through: output.through }) : undefined;
      case 'Watch':
        return output.attempts.forEach(({ attemptId }) => this.watched.add(attemptId));
      case 'Unwatch':
        return output.attemptIds.forEach((id) => this.watched.delete(id));
      case 'Close':
        return void this.closes.push(...output.attempts.map(({ attemptId }) => attemptId));
      case 'FollowInputs':
        return void this.rewind();
      case 'ReadRequests':
        return this.readsRequests ? void this.give({ type: 'RequestsRead', at: this.clock.now }) : undefined;
      case 'DropSnapshot':
      case 'StopInputs':
      case 'StopLane':
        return;
    }
  }
}

export const queueOf = (more: Partial<QueueView> = {}): QueueView => ({
  partitions: [{ partition: 0, claimsEnd: 0, tools: new Set(allTools.keys()) }],
  slots: 64,
  lanesWanting: 1,
  ...more,
});

export const asked = (message: Extract<Work, { kind: 'request' }>['request'], at = Date.parse(message.time)): Work => ({
  kind: 'request',
  request: message,
  at,
  runKey: '0123456789abcdef',
});

export const topicOf = ({ kind }: Work): string => {
  if (kind === 'journal') return 'journal';
  return kind === 'verdict' ? 'verdicts' : 'requests';
};

const nameOf = ({ type, data }: HistoryRecord['event']): string => {
  if (!('stepId' in data)) return type;
  const again = 'attempt' in data && data.attempt > 0 ? `/${data.attempt}` : '';
  return `${type} ${data.stepId}${again}`;
};
