import { homeOf } from '@holdfast/contracts';
import { Defect, type LaneEvent } from '@holdfast/events';
import { BatchDraft } from './batch-draft.js';
import type { Limits } from './batch-limits.js';
import { prepareBatch } from './batch.js';
import type { Arrival, Facts, Flight, LaneMachine, Work } from './lane.types.js';

/** One batch usually stays well below the largest decision; what is larger all the same is decided in smaller parts. */
// A session that dies may hold very many attempts of one run: they are judged over several batches.
const WHOLE: Limits = { arrivals: 256, runs: 256, events: 400, steps: 64, notes: 192 };
const LIMITS: readonly Limits[] = [
  WHOLE,
  { arrivals: 32, runs: 16, events: 100, steps: 16, notes: 48 },
  { arrivals: 1, runs: 1, events: 50, steps: 4, notes: 4 },
  { arrivals: 1, runs: 1, events: 1, steps: 1, notes: 1 },
  { arrivals: 1, runs: 0, events: 1, steps: 0, notes: 1 },
  { arrivals: 0, runs: 1, events: 1, steps: 1, notes: 1 },
];
/** How often positions without consequence are written, ms. */
const IDLE_ADVANCE_MS = 5_000;

/** Decides everything that is waiting, on a tentative state; null when nothing is worth a batch. */
export const compose = (machine: LaneMachine, facts: Facts): Flight | null => {
  const { decisionBytes } = machine.setting.settings;
  let blame: Blame | null = null;
  for (const limits of LIMITS) {
    const draft = new BatchDraft(machine, facts, limits);
    draft.takeArrivals();
    draft.advanceShared();
    draft.advanceRuns();
    draft.amendReports();
    const flight = isWorthABatch(machine, draft, facts) ? closed(machine, draft, facts) : null;
    if (flight === null) {
      if (blame !== null && (limits.runs === 0 || limits.arrivals === 0)) continue;
      draft.keep();
      // Runs about which there is nothing to say are out of the way now: what was too large gets a smaller batch.
      return blame === null ? null : compose(machine, facts);
    }
    const bytes = sizeOf(flight);
    if (bytes <= decisionBytes) {
      draft.keep();
      return flight;
    }
    blame = { bytes, arrival: limits.runs === 0, runId: draft.advanced[0]?.runId };
  }
  if (blame === null) return null;
  giveUp(machine, blame);
  return compose(machine, facts);
};

/** The smallest decision that is too large, and whether what has arrived alone leads to it. */
type Blame = { readonly bytes: number; readonly arrival: boolean; readonly runId: string | undefined };

/** What does not fit even a batch of its own changes nothing: it is refused, or its run stands still. Others go on. */
const giveUp = (machine: LaneMachine, { bytes, arrival, runId }: Blame): void => {
  const message = `one decision has ${bytes} bytes; at most ${machine.setting.settings.decisionBytes} fit a batch`;
  const [first] = machine.inbox;
  if (first === undefined || !arrival) return stand(machine, runId, message);
  const { work } = first;
  machine.inbox[0] = { ...first, work: refused(work, message) };
  const about = work.kind === 'journal' ? work.word.data : work.kind === 'verdict' ? work.verdict.data : null;
  // One that stands still already has lost nothing more: the word about it is passed over.
  if (about !== null && !machine.broken.has(about.runId)) stand(machine, about.runId, message);
};

const refused = (work: Work, message: string): Work => {
  if (work.kind !== 'request') return { kind: 'pass' };
  const { requestId } = work.request.data;
  return {
    kind: 'refuse',
    requestId,
    runId: homeOf(work.request),
    code: 'too_large',
    message,
    submission: work.request,
  };
};

const stand = (machine: LaneMachine, runId: string | undefined, message: string): void => {
  if (runId === undefined || machine.broken.has(runId)) throw new Defect(message);
  machine.broken.set(runId, message);
  machine.dirty.delete(runId);
  machine.starved.delete(runId);
};

const sizeOf = (flight: Flight): number => flight.prepared.reduce((sum, { value }) => sum + value.length, 0);

/** Inputs without consequence ride with a later batch, but not for ever. */
const isWorthABatch = (machine: LaneMachine, { events, replies, taken }: BatchDraft, facts: Facts): boolean => {
  if (events.length > 0 || replies.length > 0 || taken.length >= WHOLE.arrivals) return true;
  // What waits behind them is decided only once they are out of the way.
  if (taken.length > 0 && taken.length < machine.inbox.length) return true;
  const unsaid = machine.lane.reactedSeq < machine.reactionSeq && machine.reactionSeq <= machine.reactedSeq;
  return facts.now - machine.advancedAt >= IDLE_ADVANCE_MS && (taken.length > 0 || unsaid);
};

const closed = (machine: LaneMachine, draft: BatchDraft, facts: Facts): Flight => {
  const { events, replies, taken } = draft;
  const positions = positionsAfter(machine, taken);
  const advanced = (chain: string): LaneEvent => ({
    type: 'LaneAdvanced',
    version: 1,
    data: {
      positions,
      reactedSeq: machine.reactedSeq,
      replies,
      at: Math.max(machine.lane.at, facts.now),
      chain,
    },
  });
  const batch = prepareBatch(machine, events, advanced, facts.now);
  const last = machine.lane.seq + events.length + 1;
  const reactions = draft.reactions(last);
  return { kind: 'batch', ...batch, reactions, taken: taken.length, decidedAt: facts.now };
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
