import { laneOfRequest, type CatalogueEntry, type LaneRequest, type Request } from '@holdfast/contracts';
import { laneOf, type LiveRun, type RunState } from '@holdfast/events';
import type { Settings } from '../../apps/coordinator/src/run/env.js';
import type { Work } from '../../apps/coordinator/src/lane/lane.types.js';
import type { Reaction } from '../../apps/coordinator/src/run/run.react.js';
import type { Rules } from '../../apps/coordinator/src/run/rules.js';
import { ManualClock } from './clock.js';
import { FakeHistory } from './fake-history.js';
import { asked, LaneHarness, queueOf, topicOf } from './lane-harness.js';
import { heard, request, word } from './messages.js';
import { submission, type Submitted } from './submission.js';
import { allTools } from './tools.js';

export type Message = { readonly to: number; readonly request: LaneRequest };
type Told = { readonly reaction: Reaction; readonly through: number | null };

/** One lane: its history, its input topics, and the coordinator that owns it at the moment. */
type Place = {
  readonly history: FakeHistory;
  readonly inputs: Record<string, Work[]>;
  harness: LaneHarness;
  /** How much of each topic the owner was given in its present term. */
  fed: { term: number; readonly next: Record<string, number> };
  /** What the owner has to tell, and has not told yet. */
  outbox: Told[];
  heard: number;
  owners: number;
};

/**
 * Several lanes that ask each other by the requests that follow from their histories. What one asks lies in `transit`
 * until the scenario delivers it: in any order, more than once, or after the owner that asked is gone. An owner that
 * dies takes along what it has not told yet, and its successor derives it again.
 */
export class SeveralLanes {
  readonly clock = new ManualClock();
  readonly places: readonly Place[];
  readonly transit: Message[] = [];

  constructor(
    readonly count: number,
    readonly rules: Partial<Rules> = {},
    readonly catalogue: ReadonlyMap<string, CatalogueEntry> = allTools,
    readonly settings: Partial<Settings> = {},
  ) {
    this.places = Array.from({ length: count }, (_, lane) => {
      const history = new FakeHistory();
      const harness = this.#owner(lane, history, 1);
      return { history, inputs: {}, harness, fed: { term: -1, next: {} }, outbox: [], heard: 0, owners: 1 };
    });
    this.places.forEach((place) => place.harness.seat());
  }

  #owner(lane: number, history: FakeHistory, nth: number): LaneHarness {
    const { clock, count: lanes, rules, settings } = this;
    const harness = new LaneHarness({ owner: `C${nth}`, lane, lanes, history, clock, rules, settings });
    harness.reacts = false;
    harness.catalogue = this.catalogue;
    const tools = new Set(this.catalogue.keys());
    harness.queues = { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools }] }) };
    return harness;
  }

  laneOf(home: string): number {
    return laneOf(home, this.count);
  }

  at(home: string): LaneHarness {
    return this.#place(this.laneOf(home)).harness;
  }

  /** Somebody from outside asks for something. */
  ask(message: Request): this {
    return this.put(laneOfRequest(message, this.count), asked(message, this.clock.now));
  }

  submit(program: unknown, more: Submitted = {}): this {
    return this.ask(submission(program, more));
  }

  cancel(runId: string, withinMs = 1_000): this {
    return this.ask(request('CancelRun', { requestId: `cancel ${runId}`, runId, withinMs }));
  }

  /** Something arrives on an input topic of a lane. */
  put(lane: number, ...works: readonly Work[]): this {
    const { inputs } = this.#place(lane);
    for (const work of works) (inputs[topicOf(work)] ??= []).push(draw(work, lane, inputs));
    return this.feed(lane);
  }

  /** The owner of a lane reads what has arrived. */
  feed(lane: number): this {
    const place = this.#place(lane);
    const { machine } = place.harness;
    if (machine.phase !== 'leading') return this;
    if (place.fed.term !== machine.term) place.fed = { term: machine.term, next: { ...machine.lane.positions } };
    for (const [topic, works] of Object.entries(place.inputs)) {
      const from = place.fed.next[topic] ?? 0;
      if (from >= works.length) continue;
      place.fed.next[topic] = works.length;
      place.harness.arrive(...works.slice(from));
    }
    return this.#hear(place);
  }

  tick(ms = 0): this {
    this.clock.forward(ms);
    for (const place of this.places) {
      place.harness.give({ type: 'Tick' });
      this.#hear(place);
    }
    return this;
  }

  /** The owner asks the next thing that it has to ask; whether there was any. */
  tell(lane: number): boolean {
    const place = this.#place(lane);
    this.#hear(place);
    for (let next = place.outbox.shift(); next !== undefined; next = place.outbox.shift()) {
      const { reaction, through } = next;
      if (through !== null) place.harness.give({ type: 'Reacted', through });
      if (reaction.kind !== 'request') continue;
      this.transit.push({ to: this.laneOf(reaction.home), request: reaction.request });
      return true;
    }
    return false;
  }

  /** A message in transit arrives; where it may come again it stays. */
  deliver(index: number, again = false): this {
    const message = this.transit[index];
    if (message === undefined) return this;
    if (!again) this.transit.splice(index, 1);
    return this.put(message.to, asked(heard(message.request), this.clock.now));
  }

  /** The owner dies, whatever it was about to tell, and another one takes the lane. */
  crash(lane: number): this {
    const place = this.#place(lane);
    place.owners += 1;
    place.harness = this.#owner(lane, place.history, place.owners);
    place.outbox = [];
    place.heard = 0;
    place.fed = { term: -1, next: {} };
    place.harness.seat();
    return this.#hear(place).feed(lane);
  }

  /** Nothing is lost any more: everything is told and read, in some order, as often as something follows. */
  calm(between: () => void = () => undefined): this {
    for (let round = 0; round < 10_000; round += 1) {
      const told = this.places.map((_, lane) => this.tell(lane)).some(Boolean);
      if (!told && this.transit.length === 0) return this;
      if (this.transit.length > 0) this.deliver(round % 3 === 0 ? 0 : this.transit.length - 1);
      between();
    }
    throw new Error('the lanes never stop asking each other');
  }

  /** Calls under way are claimed and succeed. */
  work(runId: string, result: unknown = 'done'): this {
    return this.say(runId, 'AttemptSucceeded', { result });
  }

  /** Calls under way are claimed, and this is said of them. */
  say(runId: string, type: 'AttemptSucceeded' | 'AttemptFailed' | 'AttemptUnknown', more: object = {}): this {
    for (const { stepId, attempts } of this.live(runId)?.steps ?? []) {
      for (const { attempt, status } of attempts) {
        if (status === 'doubtful') continue;
        this.at(runId).claims(`${runId}/${stepId}/${attempt}`);
        const said = { runId, step: stepId, attempt };
        this.put(this.laneOf(runId), { kind: 'journal', word: word(type, said, more) });
      }
    }
    return this;
  }

  get runs(): readonly RunState[] {
    return this.places.flatMap(({ harness }) => [...harness.machine.lane.runs.values()].map(({ run }) => run));
  }

  run(runId: string): RunState | undefined {
    return this.at(runId).machine.lane.runs.get(runId)?.run;
  }

  live(runId: string): LiveRun | undefined {
    const run = this.run(runId);
    return run === undefined || run.status === 'ended' ? undefined : run;
  }

  /** The run that undoes the effects of another one, by its id; none while nothing is undone. */
  undoOf(runId: string): string {
    const started = this.at(runId)
      .events()
      .findLast(({ event, subject }) => event.type === 'CompensationStarted' && subject === runId)?.event;
    return started?.type === 'CompensationStarted' ? started.data.undoRunId : 'none';
  }

  /** Why a lane has stopped, of the first one that has. */
  get stopped(): string | null {
    return this.places.map(({ harness }) => harness.stopped).find((reason) => reason !== null) ?? null;
  }

  #place(lane: number): Place {
    const place = this.places[lane];
    if (place === undefined) throw new Error(`there is no lane ${lane}`);
    return place;
  }

  #hear(place: Place): this {
    const outputs = place.harness.outputs.slice(place.heard);
    place.heard = place.harness.outputs.length;
    for (const output of outputs) {
      if (output.type !== 'React') continue;
      const { reactions, through } = output;
      reactions.forEach((reaction, index) =>
        place.outbox.push({ reaction, through: index === reactions.length - 1 ? through : null }),
      );
    }
    return this;
  }
}

/** Each run gets a key of its own, the same whenever the request is read again. */
const draw = (work: Work, lane: number, inputs: Place['inputs']): Work =>
  work.kind === 'request' ? { ...work, runKey: `key-${lane}-${inputs['requests']?.length ?? 0}` } : work;
