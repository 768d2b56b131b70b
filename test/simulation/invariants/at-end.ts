import { deepStrictEqual } from 'node:assert';
import { commandKind, decode, journalKind, type TopicNames } from '@holdfast/contracts';
import { hasEffect, idempotencyKey } from '@holdfast/events';
import type { MemoryCluster } from '@holdfast/log';
import type { LaneReader } from '@holdfast/sdk';
import type { Coordinator } from '../../../apps/coordinator/src/coordinator.js';
import type { LaneRunner } from '../../../apps/coordinator/src/shell/lane-runner.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Office } from '../world/office.js';
import type { BoundChecks } from './bounds.js';
import type { CallChecks } from './calls.js';
import type { History } from './history.js';
import type { Violated } from './invariant.js';
import { count, recordsOf } from './partitions.js';

export type Success = {
  readonly runId: string;
  readonly stepId: string;
  readonly attemptId: string;
  readonly session: string;
  readonly lane: number;
  readonly offset: number;
};

/** All that was seen from the beginning to the end. */
export type Checks = {
  readonly parts: {
    readonly cluster: MemoryCluster;
    readonly names: TopicNames;
    readonly scenario: Scenario;
    readonly office: Office;
  };
  readonly history: History;
  readonly calls: CallChecks;
  readonly lanes: readonly LaneReader[];
  /** Successes in the journal, in order. */
  readonly successes: readonly Success[];
  /** Up to where the journal was surely read when a run ended. */
  readonly journalAtEnd: ReadonlyMap<string, number>;
  unanswered(): readonly string[];
  readonly isRefused: (runId: string) => boolean;
  readonly bounds: BoundChecks;
};

/** What must hold when everything has come to rest. */
export const atEnd = (checks: Checks, coordinators: readonly Coordinator[], violated: Violated): void => {
  checks.bounds.atEnd(checks.history.ends);
  everyRunEnds(checks, violated);
  successesAreHeard(checks, violated);
  everyRequestIsAnswered(checks, violated);
  commandsFollowHistory(checks, violated);
  onlyHoldersTestify(checks, violated);
  reportsTellTheTruth(checks, violated);
  everyLaneIsLed(checks, coordinators, violated);
  for (const coordinator of coordinators) noLaneStops(coordinator, violated);
  liveStateIsTheFold(checks, coordinators, violated);
};

const everyRunEnds = ({ parts, history, isRefused }: Checks, violated: Violated): void => {
  for (const { runId } of parts.scenario.runs) {
    if (!history.runKeys.has(runId) && !isRefused(runId)) violated('everyRunEnds', `${runId} has not begun`);
  }
  for (const runId of history.runKeys.keys()) {
    if (!history.ends.has(runId)) violated('everyRunEnds', `${runId} has not ended`);
  }
};

/** What was passed has its consequence: a holder's success ends its step, whatever was thought before. */
const successesAreHeard = (checks: Checks, violated: Violated): void => {
  const { parts, history, calls, successes, lanes, journalAtEnd } = checks;
  for (const { runId, stepId, attemptId, session, lane, offset } of successes) {
    const read = lanes[lane]?.state.positions[parts.names.journal] ?? 0;
    const scheduled = history.scheduled.get(attemptId);
    const isHolder = scheduled?.policy === 'pure' || calls.firsts.get(attemptId)?.session === session;
    // About a run that is over nothing is told any more.
    const wasOver = offset >= (journalAtEnd.get(runId) ?? Infinity);
    const isHeard = history.steps.get(`${runId}/${stepId}`)?.succeeded === true;
    if (offset < read && isHolder && !wasOver && !isHeard)
      violated('inputsOnce', `the success of ${attemptId} was passed and has no consequence`);
  }
};

const everyRequestIsAnswered = (checks: Checks, violated: Violated): void => {
  for (const requestId of checks.unanswered()) violated('everyRequestIsAnswered', `nobody answered ${requestId}`);
};

const commandsFollowHistory = ({ parts, history }: Checks, violated: Violated): void => {
  const { cluster, names, scenario } = parts;
  for (const partition of count(scenario.partitions)) {
    for (const record of recordsOf(cluster, names.commands('default'), partition)) {
      const decoded = decode(commandKind, record.value);
      for (const order of decoded.ok ? decoded.message.data.steps : []) {
        const known = history.scheduled.get(order.attemptId);
        if (known?.startBy !== order.startBy || known.partition !== partition)
          violated('commandsFollowHistory', `a command for ${order.attemptId} that history does not know`);
      }
    }
  }
};

const onlyHoldersTestify = ({ parts, history, calls }: Checks, violated: Violated): void => {
  const { cluster, names, scenario } = parts;
  for (const lane of count(scenario.lanes)) {
    for (const record of recordsOf(cluster, names.journal, lane)) {
      const decoded = decode(journalKind, record.value);
      if (!decoded.ok || decoded.message.type === 'AttemptRefused') continue;
      const { attemptId, session } = decoded.message.data;
      if (history.scheduled.get(attemptId)?.policy === 'pure') continue;
      if (calls.firsts.get(attemptId)?.session !== session)
        violated(
          'onlyHolderTestifies',
          `${session} writes ${decoded.message.type} for ${attemptId}, which it does not hold`,
        );
    }
  }
};

const reportsTellTheTruth = ({ parts, history }: Checks, violated: Violated): void => {
  for (const [runId, { report }] of history.ends) {
    const uncertain = new Set([...report.inDoubt, ...report.running].map(({ stepId }) => stepId));
    for (const [key, { policy, succeeded }] of history.steps) {
      const stepId = key.slice(runId.length + 1);
      if (!key.startsWith(`${runId}/`) || !hasEffect(policy) || succeeded || uncertain.has(stepId)) continue;
      if (parts.office.count(idempotencyKey(history.runKeys.get(runId) ?? '', stepId)) > 0)
        violated('reportTellsTheTruth', `${key} has its effect, the report of the run does not know it`);
    }
  }
};

/** To be asked of each coordinator before it is gone. */
export const noLaneStops = ({ runners }: Coordinator, violated: Violated): void => {
  for (const { stopped, setting } of runners.values()) {
    if (stopped !== null) violated('noLaneStops', `lane ${setting.lane}: ${stopped}`);
  }
};

/** Lanes whose leader has nothing under way and has folded everything that there is. */
export const lanesAtRest = (
  { lanes }: Pick<Checks, 'lanes'>,
  coordinators: readonly Coordinator[],
): ReadonlyMap<number, LaneRunner> => {
  const found = new Map<number, LaneRunner>();
  for (const { runners } of coordinators) {
    for (const runner of runners.values()) {
      const { machine, setting, leading } = runner;
      const isUpToDate = machine.next === lanes[setting.lane]?.next;
      if (leading && machine.flight === null && isUpToDate) found.set(setting.lane, runner);
    }
  }
  return found;
};

const everyLaneIsLed = (checks: Checks, coordinators: readonly Coordinator[], violated: Violated): void => {
  const led = lanesAtRest(checks, coordinators);
  for (const lane of checks.lanes.keys()) if (!led.has(lane)) violated('everyLaneIsLed', `nobody leads lane ${lane}`);
};

/** Whoever leads a lane and is up to date has the state that everybody gets who folds its history. */
const liveStateIsTheFold = ({ lanes }: Checks, coordinators: readonly Coordinator[], violated: Violated): void => {
  for (const [lane, { machine }] of lanesAtRest({ lanes }, coordinators)) {
    try {
      deepStrictEqual({ ...machine.lane, counts: null }, { ...lanes[lane]?.state, counts: null });
    } catch (error) {
      violated('liveStateIsTheFold', `lane ${lane}: ${(error as Error).message.slice(0, 500)}`);
    }
  }
};
