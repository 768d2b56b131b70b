import { Defect, type LaneEvent, type Reply, type RunState } from '@holdfast/events';
import { advanceRun } from '../run/advance.decide.js';
import { decideAnswer } from '../run/answer.decide.js';
import { decideCancel } from '../run/cancel.decide.js';
import { draftOf, type RunDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';
import { decideJournal } from '../run/journal.decide.js';
import { react, replyReaction, type Reaction } from '../run/run.react.js';
import type { Budget } from '../run/schedule.decide.js';
import { decideSubmit } from '../run/submit.decide.js';
import { decideVerdict } from '../run/verdict.decide.js';
import { prepareBatch, type BatchEvent } from './batch.js';
import type { Arrival, Facts, Flight, LaneMachine, Work } from './lane.types.js';

/** One batch stays well below the largest decision, whatever a single message adds. */
const ARRIVALS_MAX = 256;
const EVENTS_MAX = 400;
/** Room kept in a batch for what follows from its arrivals: events of at most about 700 bytes each. */
const RESERVE_BYTES = 320 * 1024;
const STEPS_PER_RUN = 64;
const RUNS_MAX = 256;
/** How often positions without consequence are written, ms. */
const IDLE_ADVANCE_MS = 5_000;

/** Decides everything that is waiting, on a tentative state; null when nothing is worth a batch. */
export const compose = (machine: LaneMachine, facts: Facts): Flight | null => {
  const draft = new BatchDraft(machine, facts);
  const taken = draft.takeArrivals();
  draft.advanceRuns();
  const moved = positionsAfter(machine, taken);
  const idle = facts.now - machine.advancedAt >= IDLE_ADVANCE_MS;
  const unsaid = machine.lane.reactedSeq < machine.reactionSeq && machine.reactionSeq <= machine.reactedSeq;
  const overdue = (idle && (taken.length > 0 || unsaid)) || taken.length >= ARRIVALS_MAX;
  if (draft.events.length === 0 && draft.replies.length === 0 && !overdue) {
    // Without consequence: the position rides with a later batch.
    return null;
  }
  return draft.close(taken, moved);
};

const positionsAfter = (machine: LaneMachine, taken: readonly Arrival[]): Record<string, number> => {
  const moved: Record<string, number> = {};
  for (const { topic, next } of taken) {
    if (next < (moved[topic] ?? machine.lane.positions[topic] ?? 0))
      throw new Defect(`${topic} was read backwards to ${next}`);
    moved[topic] = next;
  }
  return moved;
};

class BatchDraft {
  readonly events: BatchEvent[] = [];
  readonly replies: Reply[] = [];
  readonly #drafts = new Map<string, RunDraft>();
  readonly #env: Env;
  #seq: number;
  #bytes = 0;

  constructor(
    readonly machine: LaneMachine,
    readonly facts: Facts,
  ) {
    this.#env = envOf(machine, facts);
    this.#seq = machine.lane.seq;
  }

  takeArrivals(): readonly Arrival[] {
    const taken: Arrival[] = [];
    for (const arrival of this.machine.inbox) {
      const fits = this.#bytes + arrival.bytes < this.#env.settings.decisionBytes - RESERVE_BYTES || taken.length === 0;
      if (taken.length >= ARRIVALS_MAX || this.#full() || !fits) break;
      this.#bytes += arrival.bytes;
      this.#decide(arrival.work);
      taken.push(arrival);
    }
    return taken;
  }

  advanceRuns(): void {
    const { machine } = this;
    const room = roomOf(machine, this.#env);
    const wanted = [...machine.dirty, ...[...machine.starved].filter((runId) => !machine.dirty.has(runId))];
    for (const runId of wanted.slice(0, RUNS_MAX)) {
      if (this.#full()) break;
      const budget: Budget = { room, steps: STEPS_PER_RUN, spread: machine.spread, starved: false };
      this.#on(runId, (draft) => advanceRun(draft, this.#env, budget));
      machine.spread = budget.spread % 1_000_000;
      machine.dirty.delete(runId);
      machine.starved.delete(runId);
      // At the end of the line again, so that a run with very many steps does not starve the others.
      if (budget.starved) machine.starved.add(runId);
    }
  }

  close(taken: readonly Arrival[], positions: Record<string, number>): Flight {
    const { machine, facts } = this;
    const advanced = (chain: string): LaneEvent => ({
      type: 'LaneAdvanced',
      version: 1,
      data: {
        positions,
        reactedSeq: machine.reactedSeq,
        replies: this.replies,
        at: Math.max(machine.lane.at, facts.now),
        chain,
      },
    });
    const batch = prepareBatch(machine, this.events, advanced, facts.now);
    const reactions: Reaction[] = this.events.flatMap(({ drafted }) =>
      react(this.#latest(drafted.after), drafted.event, drafted.seq),
    );
    const last = machine.lane.seq + this.events.length + 1;
    for (const reply of this.replies) reactions.push(replyReaction(reply, last));
    return { kind: 'batch', ...batch, reactions, taken: taken.length };
  }

  /** The run after the whole batch: an attempt that was closed in the same batch gets no command. */
  #latest(after: RunState): RunState {
    return this.#drafts.get(after.runId)?.run ?? after;
  }

  #full(): boolean {
    return this.events.length >= EVENTS_MAX;
  }

  #decide(work: Work): void {
    switch (work.kind) {
      case 'pass':
        return;
      case 'refuse': {
        const { requestId, runId, code, message } = work;
        return void this.replies.push({ requestId, runId, outcome: 'refused', code, message });
      }
      case 'journal':
        return this.#onJournal(work);
      case 'verdict':
        return this.#on(work.verdict.data.runId, (draft) => decideVerdict(draft, work.verdict, this.#env));
      case 'request':
        return this.#request(work);
    }
  }

  #onJournal({ word }: Extract<Work, { kind: 'journal' }>): void {
    this.#on(word.data.runId, (draft) => decideJournal(draft, word, this.#env));
  }

  #request(work: Extract<Work, { kind: 'request' }>): void {
    const { request } = work;
    const { requestId, runId } = request.data;
    const known = this.machine.lane.requests.get(requestId);
    if (known !== undefined) return void this.replies.push(known.reply);
    if (this.replies.some((reply) => reply.requestId === requestId)) return;
    if (
      this.#drafts
        .get(runId)
        ?.events.some(({ event }) => 'requestId' in event.data && event.data.requestId === requestId)
    )
      return;
    this.#on(runId, (draft) => {
      if (request.type === 'SubmitRun') decideSubmit(draft, { request, runKey: work.runKey }, this.#env);
      else if (request.type === 'CancelRun') decideCancel(draft, request, this.#env);
      else decideAnswer(draft, request, this.#env);
    });
  }

  #on(runId: string, decide: (draft: RunDraft) => void): void {
    const draft = this.#drafts.get(runId) ?? draftOf(runId, this.machine.lane.runs.get(runId)?.run, () => ++this.#seq);
    this.#drafts.set(runId, draft);
    const before = draft.events.length;
    decide(draft);
    for (const drafted of draft.events.slice(before)) this.events.push({ runId, drafted });
    this.replies.push(...draft.replies.splice(0));
    if (draft.events.length > before) this.machine.dirty.add(runId);
  }
}

export const envOf = (machine: LaneMachine, facts: Facts): Env => {
  const { setting, firsts, lost, refused } = machine;
  const { lane, lanes, settings, rules, digest } = setting;
  return { ...facts, lane, lanes, settings, rules, digest, firsts, lost, refused };
};

/** This lane's share of each queue: about twice its slots, divided by the lanes that want it, less what is out already. */
const roomOf = (machine: LaneMachine, env: Env): Map<string, number> => {
  const outstanding: Record<string, number> = {};
  for (const facts of machine.live.values()) {
    for (const [queue, count] of Object.entries(facts.outstanding))
      outstanding[queue] = (outstanding[queue] ?? 0) + count;
  }
  return new Map(
    Object.entries(env.fleet.queues).map(([queue, { slots, lanesWanting }]) => {
      const share = Math.max(1, Math.ceil((2 * slots) / Math.max(1, lanesWanting)));
      return [queue, share - (outstanding[queue] ?? 0)];
    }),
  );
};
