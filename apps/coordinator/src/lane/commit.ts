import { applyLaneEvent, attemptId, isLaneEvent, noteRequest, remember, type LiveRun } from '@holdfast/events';
import { mustClose } from '../run/attempts.js';
import { nextDue } from '../run/due.js';
import { waitsForReading } from '../run/silence.decide.js';
import { envOf } from './env-of.js';
import type { Facts, Flight, LaneMachine, LaneOutput, LiveRunFacts, WatchedAttempt } from './lane.types.js';

/**
 * The batch is history: the tentative state is the state. Does what folding its records would do, without doing the
 * work a second time; `lane.machine.spec.ts` holds both to the same result.
 */
export const applyFlight = (machine: LaneMachine, flight: Flight): void => {
  const { lane } = machine;
  for (const [runId, entry] of flight.runs) lane.runs.set(runId, entry);
  for (const { record, digest } of flight.prepared) {
    const { event, subject } = record;
    if (event.type === 'LaneAcquired') {
      lane.epoch = record.lane.epoch;
      lane.owner = record.lane.owner;
    } else if (isLaneEvent(event)) {
      applyLaneEvent(lane, event);
      noteRequest(lane, record);
    } else {
      noteRequest(lane, record);
      if (event.type === 'RunEnded') lane.endedRuns.push({ runId: subject ?? '', endedAt: event.data.endedAt });
    }
    lane.seq = record.lane.seq;
    lane.counts.valid += 1;
    remember(lane, lane.seq, digest);
  }
  lane.chain = flight.chain;
};

/**
 * Brings what is derived from run states up to date, and says what must be watched and closed because of it.
 * `decidedAt` is when the runs were decided about; without it they were not, and keep the moment they had.
 */
export const afterChange = (
  machine: LaneMachine,
  runIds: Iterable<string>,
  facts: Facts,
  decidedAt?: number,
): LaneOutput[] => {
  const env = envOf(machine, facts);
  const watch: WatchedAttempt[] = [];
  const unwatch: string[] = [];
  const close: WatchedAttempt[] = [];
  let reads = false;
  for (const runId of runIds) {
    const before = machine.live.get(runId);
    const run = machine.lane.runs.get(runId)?.run;
    if (run === undefined || run.status === 'ended') {
      setLive(machine, runId, undefined);
      machine.dirty.delete(runId);
      machine.starved.delete(runId);
      unwatch.push(...(before?.watched ?? []));
      continue;
    }
    const claimed = claimedAttempts(run);
    const ids = new Set(claimed.map((attempt) => attempt.attemptId));
    const known = before?.watched ?? new Set<string>();
    watch.push(...claimed.filter((attempt) => !known.has(attempt.attemptId)));
    unwatch.push(...[...known].filter((id) => !ids.has(id)));
    const at = decidedAt ?? before?.decidedAt ?? -Infinity;
    const due = nextDue(run, env, at);
    setLive(machine, runId, { due, decidedAt: at, outstanding: outstandingOf(run), watched: ids });
    close.push(...closesOf(machine, run, facts));
    reads ||= waitsForReading(run, env);
  }
  for (const id of unwatch) {
    machine.firsts.delete(id);
    machine.refused.delete(id);
    machine.closing.delete(id);
  }
  return [
    ...(watch.length > 0 ? [{ type: 'Watch', attempts: watch } as const] : []),
    ...(unwatch.length > 0 ? [{ type: 'Unwatch', attemptIds: unwatch } as const] : []),
    ...(close.length > 0 ? [{ type: 'Close', attempts: close } as const] : []),
    ...(reads ? [{ type: 'ReadRequests' } as const] : []),
  ];
};

const setLive = (machine: LaneMachine, runId: string, facts: LiveRunFacts | undefined): void => {
  const { live, outstanding } = machine;
  const add = (counts: LiveRunFacts['outstanding'], sign: 1 | -1) => {
    for (const [queue, count] of Object.entries(counts)) {
      const sum = (outstanding.get(queue) ?? 0) + sign * count;
      if (sum === 0) outstanding.delete(queue);
      else outstanding.set(queue, sum);
    }
  };
  add(live.get(runId)?.outstanding ?? {}, -1);
  if (facts === undefined) return void live.delete(runId);
  add(facts.outstanding, 1);
  live.set(runId, facts);
};

/** Attempts whose first claim matters. Who held one in doubt is history. */
const claimedAttempts = (run: LiveRun): WatchedAttempt[] =>
  run.steps.flatMap((step) =>
    step.policy === 'pure'
      ? []
      : step.attempts
          .filter(({ status }) => status !== 'doubtful')
          .map(({ attempt, queue, partition, claimsFrom, startBy }) => ({
            attemptId: attemptId({ runId: run.runId, stepId: step.stepId, attempt }),
            queue,
            partition,
            claimsFrom,
            startBy,
          })),
  );

/** Closing is derived and idempotent: asked for once per attempt and process, derived again by a new owner. */
const closesOf = (machine: LaneMachine, run: LiveRun, facts: Facts): WatchedAttempt[] => {
  const env = envOf(machine, facts);
  const wanted: WatchedAttempt[] = [];
  for (const step of run.steps) {
    for (const attempt of step.attempts) {
      if (mustClose(env, run, step, attempt) === null) continue;
      const id = attemptId({ runId: run.runId, stepId: step.stepId, attempt: attempt.attempt });
      if (machine.firsts.has(id) || machine.closing.has(id)) continue;
      if (!env.rules.closeBeforeNeverStarted) {
        machine.firsts.set(id, { kind: 'closed', offset: 0 });
        machine.dirty.add(run.runId);
        continue;
      }
      machine.closing.add(id);
      const { queue, partition, claimsFrom, startBy } = attempt;
      wanted.push({ attemptId: id, queue, partition, claimsFrom, startBy });
    }
  }
  return wanted;
};

const outstandingOf = (run: LiveRun): LiveRunFacts['outstanding'] => {
  const counts: Record<string, number> = {};
  for (const step of run.steps) {
    for (const attempt of step.attempts) {
      if (attempt.settling || attempt.status === 'doubtful') continue;
      counts[attempt.queue] = (counts[attempt.queue] ?? 0) + 1;
    }
  }
  return counts;
};
