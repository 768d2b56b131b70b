import { Defect, decodeHistory, foldRecord, newLane } from '@holdfast/events';
import { prepareAcquire } from './batch.js';
import { afterChange, applyFlight } from './commit.js';
import { compose } from './compose.js';
import { hear, isQuiet } from './news.js';
import { forgetOffice, noteUnreacted, reactionsAgain } from './office.js';
import { dropped, restored, seek, takeSnapshot } from './snapshots.js';
import type {
  AppendAnswer,
  Arrival,
  Facts,
  Flight,
  LaneInput,
  LaneMachine,
  LaneOutput,
  LaneSetting,
  RawRecord,
} from './lane.types.js';

/** How many arrivals may wait; the shell stops reading inputs while there are more. */
export const INBOX_MAX = 2_000;

export const newLaneMachine = (setting: LaneSetting): LaneMachine => ({
  setting,
  phase: 'unseated',
  lane: newLane(),
  next: 0,
  flight: null,
  reading: false,
  seeking: false,
  isRestored: false,
  snapshot: { seq: -1, at: -Infinity, open: false },
  readTo: null,
  racesLost: 0,
  term: 0,
  inbox: [],
  unreacted: [],
  reactedSeq: -1,
  reactionSeq: -1,
  advancedAt: 0,
  live: new Map(),
  outstanding: new Map(),
  dirty: new Set(),
  starved: new Set(),
  unserved: new Set(),
  firsts: new Map(),
  lost: new Map(),
  refused: new Set(),
  closing: new Set(),
  requestsReadAt: 0,
  broken: new Map(),
  spread: 0,
});

/**
 * One step of a lane: an input goes in, what the world is to be told comes out. Changes `machine` in place (it is
 * plain data: clone it to keep the state before). A `Defect` stops this lane and no other.
 */
export const stepLane = (machine: LaneMachine, input: LaneInput, facts: Facts): readonly LaneOutput[] => {
  if (machine.phase === 'stopped') return [];
  try {
    return handle(machine, input, facts);
  } catch (error) {
    machine.phase = 'stopped';
    const reason = error instanceof Defect ? error.message : ((error as Error).stack ?? String(error));
    return [{ type: 'StopInputs' }, { type: 'StopLane', reason }];
  }
};

const handle = (machine: LaneMachine, input: LaneInput, facts: Facts): readonly LaneOutput[] => {
  switch (input.type) {
    case 'SeatGranted':
      if (machine.phase !== 'unseated') return [];
      machine.phase = 'reading';
      return seek(machine) ?? read(machine);
    case 'SeatLost':
      return leave(machine);
    case 'SnapshotRead':
      return restored(machine, input.restored) ? read(machine) : [];
    case 'SnapshotClosed':
      machine.snapshot = { ...machine.snapshot, open: false };
      return [];
    case 'HistoryRead':
      return historyRead(machine, input, facts);
    case 'HistoryAppended':
      return appended(machine, input.answer, facts);
    case 'Arrived':
      return arrived(machine, input.term, input.arrivals, facts);
    default:
      if (machine.phase !== 'leading') return [];
      return [...hear(machine, input, facts), ...(isQuiet(input) ? [] : work(machine, facts))];
  }
};

const arrived = (
  machine: LaneMachine,
  term: number,
  arrivals: readonly Arrival[],
  facts: Facts,
): readonly LaneOutput[] => {
  if (machine.phase !== 'leading' || term !== machine.term) return [];
  machine.inbox.push(...arrivals);
  const refused = new Set<string>();
  for (const { work: arrival } of arrivals) {
    if (arrival.kind !== 'journal' || arrival.word.type !== 'AttemptRefused') continue;
    const { attemptId, runId } = arrival.word.data;
    if (!machine.live.get(runId)?.watched.has(attemptId)) continue;
    machine.refused.add(attemptId);
    refused.add(runId);
  }
  return [...afterChange(machine, refused, facts), ...work(machine, facts)];
};

/** Decides what is waiting, unless a batch is under way: never two different batches under one number. */
const work = (machine: LaneMachine, facts: Facts): readonly LaneOutput[] => {
  if (machine.flight !== null) return [];
  const flight = compose(machine, facts);
  if (flight === null) return [];
  machine.flight = flight;
  return [send(flight)];
};

const send = (flight: Flight, pauseMs = 0): LaneOutput => ({
  type: 'AppendHistory',
  values: flight.prepared.map(({ value }) => value),
  keys: flight.prepared.map(({ record }) => record.subject),
  pauseMs,
});

const appended = (machine: LaneMachine, answer: AppendAnswer, facts: Facts): readonly LaneOutput[] => {
  const { flight } = machine;
  if (flight === null || machine.phase === 'unseated') return [];
  if (answer.outcome === 'refused') throw new Defect(`history could not be written: ${answer.detail}`);
  if (answer.outcome === 'unknown') return unanswered(machine, flight, facts);
  if (answer.offset < machine.next) {
    throw new Defect(
      `an append landed at ${answer.offset}, but history was known up to ${machine.next}: acknowledged records are gone`,
    );
  }
  if (answer.offset === machine.next) {
    machine.next = answer.offset + flight.prepared.length;
    return won(machine, flight, facts);
  }
  // Somebody wrote in between: the fold decides, once everything up to here is read.
  machine.readTo = answer.offset + flight.prepared.length;
  return read(machine);
};

const read = (machine: LaneMachine): readonly LaneOutput[] => {
  machine.reading = true;
  return [{ type: 'ReadHistory', from: machine.next }];
};

/** The batch may be there, may not, or may still arrive: only the same bytes may follow it. */
const unanswered = (machine: LaneMachine, flight: Flight, facts: Facts): readonly LaneOutput[] => {
  if (machine.setting.rules.sameBytes || flight.kind === 'acquire') return [send(flight, 50)];
  machine.flight = null;
  return work(machine, facts);
};

const won = (machine: LaneMachine, flight: Flight, facts: Facts): readonly LaneOutput[] => {
  applyFlight(machine, flight);
  for (const { record } of flight.prepared) noteUnreacted(machine, record.lane.seq, record.subject, record.event);
  const taken = flight.kind === 'batch' ? takeSnapshot(machine, facts) : [];
  return [...owned(machine, flight, facts), ...taken];
};

/** The flight is valid history and folded. */
const owned = (machine: LaneMachine, flight: Flight, facts: Facts): readonly LaneOutput[] => {
  machine.flight = null;
  machine.racesLost = 0;
  machine.advancedAt = facts.now;
  if (flight.kind === 'acquire') return lead(machine, facts);
  machine.inbox.splice(0, flight.taken);
  const through = machine.lane.seq;
  if (flight.reactions.length > 0) machine.reactionSeq = through;
  return [
    { type: 'React', reactions: flight.reactions, through },
    ...afterChange(machine, flight.runs.keys(), facts, flight.decidedAt),
    ...work(machine, facts),
  ];
};

/** The lane is mine: reactions that may not have gone out are derived again, inputs are read from where history stands. */
const lead = (machine: LaneMachine, facts: Facts): readonly LaneOutput[] => {
  machine.phase = 'leading';
  machine.isRestored = false;
  machine.term += 1;
  machine.inbox = [];
  machine.reactedSeq = machine.lane.reactedSeq;
  const tenants = Object.entries(machine.lane.shared.tenants);
  machine.unserved = new Set(tenants.flatMap(([name, { queue }]) => (queue.length > 0 ? [name] : [])));
  for (const [runId, { run }] of machine.lane.runs) if (run.status !== 'ended') machine.dirty.add(runId);
  const through = machine.lane.seq;
  const outputs = afterChange(machine, machine.dirty, facts);
  for (const [runId, { run }] of machine.lane.runs) if (run.status !== 'ended') machine.dirty.add(runId);
  return [
    { type: 'FollowInputs', term: machine.term, positions: { ...machine.lane.positions } },
    { type: 'React', reactions: machine.setting.rules.reactAgain ? reactionsAgain(machine) : [], through },
    ...outputs,
    ...work(machine, facts),
  ];
};

const historyRead = (
  machine: LaneMachine,
  { records, next, end }: Extract<LaneInput, { type: 'HistoryRead' }>,
  facts: Facts,
): readonly LaneOutput[] => {
  if (machine.phase === 'unseated' || !machine.reading) return [];
  machine.reading = false;
  const drop = foldAll(machine, records);
  if (drop !== null) return [drop, ...read(machine)];
  machine.next = Math.max(machine.next, next);
  if (machine.next < Math.max(end, machine.readTo ?? 0)) return read(machine);
  machine.readTo = null;
  const { flight, lane, setting } = machine;
  if (flight !== null) {
    const last = flight.first + flight.prepared.length - 1;
    // Mine if the fold took it, by whichever copy.
    if (lane.epoch === flight.epoch && lane.owner === setting.owner && lane.seq >= last)
      return owned(machine, flight, facts);
  }
  return acquire(machine, facts);
};

/** As long as the seat is held and the fold says that somebody else owns the lane: try again. */
const acquire = (machine: LaneMachine, facts: Facts): readonly LaneOutput[] => {
  const lost = machine.flight !== null;
  const outputs: LaneOutput[] = machine.phase === 'leading' ? forgetOffice(machine) : [];
  machine.racesLost = lost ? machine.racesLost + 1 : 0;
  if (lost && !machine.setting.rules.tryAgain) {
    machine.flight = null;
    return outputs;
  }
  machine.phase = 'acquiring';
  machine.flight = prepareAcquire(machine, facts.now);
  return [...outputs, send(machine.flight, Math.min(1_000, machine.racesLost * 100))];
};

/** What contradicts a snapshot says nothing about history: it is folded from its first record on. */
const foldAll = (machine: LaneMachine, records: readonly RawRecord[]): LaneOutput | null => {
  try {
    for (const record of records) if (record.offset >= machine.next) fold(machine, record);
    return null;
  } catch (error) {
    if (!machine.isRestored || !(error instanceof Defect)) throw error;
    return dropped(machine, error.message);
  }
};

const fold = (machine: LaneMachine, { offset, value }: RawRecord): void => {
  const decoded = decodeHistory(value);
  if (!decoded.ok) throw new Defect(`history at offset ${offset} cannot be read: ${decoded.problem}`);
  const { record } = decoded;
  const { digest } = machine.setting;
  if (foldRecord(machine.lane, record, digest(value ?? new Uint8Array()), digest) !== 'valid') return;
  noteUnreacted(machine, record.lane.seq, record.subject, record.event);
};

const leave = (machine: LaneMachine): readonly LaneOutput[] => {
  if (machine.phase === 'unseated') return [];
  const outputs = forgetOffice(machine);
  machine.reading = false;
  machine.seeking = false;
  // What was sent may still land: history is read afresh before anything else is written.
  machine.flight = null;
  machine.readTo = null;
  machine.phase = 'unseated';
  return outputs;
};
