import { deepStrictEqual } from 'node:assert';
import { commandKind, decode, journalKind, type TopicNames } from '@holdfast/contracts';
import { hasEffect, idempotencyKey } from '@holdfast/events';
import type { MemoryCluster } from '@holdfast/log';
import type { LaneReader } from '@holdfast/sdk';
import type { Coordinator } from '../../../apps/coordinator/src/coordinator.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Office } from '../world/office.js';
import type { CallChecks } from './calls.js';
import type { History, Violated } from './history.js';
import { count, recordsOf } from './partitions.js';

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
  unanswered(): readonly string[];
};

/** What must hold when everything has come to rest. */
export const atEnd = (checks: Checks, coordinators: Iterable<Coordinator>, violated: Violated): void => {
  everyRunEnds(checks, violated);
  acceptedOnce(checks, violated);
  everyRequestIsAnswered(checks, violated);
  commandsFollowHistory(checks, violated);
  onlyHoldersTestify(checks, violated);
  reportsTellTheTruth(checks, violated);
  noLaneStops(coordinators, violated);
  liveStateIsTheFold(checks, coordinators, violated);
};

const everyRunEnds = ({ parts, history }: Checks, violated: Violated): void => {
  for (const { runId } of parts.scenario.runs) {
    if (!history.ends.has(runId)) violated('everyRunEnds', `${runId} has not ended`);
  }
};

const acceptedOnce = ({ history }: Checks, violated: Violated): void => {
  for (const [runId, times] of history.accepted)
    if (times !== 1) violated('inputsOnce', `${runId} was accepted ${times} times`);
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

const noLaneStops = (coordinators: Iterable<Coordinator>, violated: Violated): void => {
  for (const { runners } of coordinators) {
    for (const { stopped, setting } of runners.values()) {
      if (stopped !== null) violated('noLaneStops', `lane ${setting.lane}: ${stopped}`);
    }
  }
};

/** Whoever leads a lane and is up to date has the state that everybody gets who folds its history. */
const liveStateIsTheFold = ({ lanes }: Checks, coordinators: Iterable<Coordinator>, violated: Violated): void => {
  for (const { runners } of coordinators) {
    for (const { machine, setting, leading } of runners.values()) {
      const reader = lanes[setting.lane];
      if (!leading || machine.flight !== null || reader === undefined || machine.next !== reader.next) continue;
      try {
        deepStrictEqual({ ...machine.lane, counts: null }, { ...reader.state, counts: null });
      } catch (error) {
        violated('liveStateIsTheFold', `lane ${setting.lane}: ${(error as Error).message.slice(0, 500)}`);
      }
    }
  }
};
