import type { LaneState } from '@holdfast/events';
import { fleetInLog } from './fleet-in-log.js';
import { readAllLanes, unread, type InLog } from './in-log.js';
import type { LaneSeen } from './views.js';

/** Every lane: who owns it, how long it is, and what its coordinator has not read yet. */
export const lanesInLog = async (place: InLog): Promise<readonly LaneSeen[]> => {
  const [lanes, fleet] = await Promise.all([readAllLanes(place, () => undefined), fleetInLog(place)]);
  const beats = new Map(fleet.coordinators.map(({ beat, at }) => [beat.coordinator, at]));
  return Promise.all(
    lanes.map(async ({ lane, state, defect }): Promise<LaneSeen> => {
      const owner = state?.owner ?? null;
      const inputs = state === null ? null : await lagOf(place, lane, state);
      return {
        lane,
        epoch: state?.epoch ?? 0,
        owner,
        ownerBeatAt: owner === null ? null : (beats.get(owner) ?? null),
        end: await endOf(place, place.topics.history, lane),
        projected: null,
        lagRecords: null,
        lagMs: null,
        requestsWaiting: inputs?.requests ?? 0,
        runsOpen: state === null ? 0 : [...state.runs.values()].filter(({ run }) => run.status !== 'ended').length,
        broken: defect,
        inputs,
      };
    }),
  );
};

const lagOf = async (place: InLog, lane: number, state: LaneState): Promise<NonNullable<LaneSeen['inputs']>> => {
  const { requests, journal, verdicts } = place.topics;
  const [ofRequests = 0, ofJournal = 0, ofVerdicts = 0] = await Promise.all(
    [requests, journal, verdicts].map(async (topic) =>
      Math.max(0, (await endOf(place, topic, lane)) - (state.positions[topic] ?? 0)),
    ),
  );
  return { requests: ofRequests, journal: ofJournal, verdicts: ofVerdicts };
};

const endOf = async ({ log }: InLog, topic: string, partition: number): Promise<number> => {
  try {
    return (await log.bounds(topic, partition)).end;
  } catch (error) {
    throw unread(error, `${topic}/${partition}`);
  }
};
