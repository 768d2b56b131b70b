import { encodeHistory, nextChain, type HistoryEvent, type HistoryRecord, type RunEntry } from '@holdfast/events';
import type { BatchEvent } from '../run/draft.js';
import type { Flight, LaneMachine, Prepared } from './lane.types.js';

/** The records of one batch, with the hashes that chain them to what stands before. */
export const prepareBatch = (
  machine: LaneMachine,
  events: readonly BatchEvent[],
  advanced: (chain: string) => HistoryEvent,
  now: number,
): Pick<Flight, 'prepared' | 'runs' | 'chain' | 'epoch' | 'first'> => {
  const { lane, setting } = machine;
  const first = lane.seq + 1;
  const place = { epoch: lane.epoch, owner: setting.owner, first, size: events.length + 1 };
  const time = new Date(now).toISOString();
  const runs = new Map<string, RunEntry>();
  const prepared: Prepared[] = [];
  let { chain } = lane;
  const add = (event: HistoryEvent, runId: string | null, principal: string | null) => {
    const seq = first + prepared.length;
    const prev = runId === null ? null : ((runs.get(runId) ?? lane.runs.get(runId))?.prev ?? null);
    const record: HistoryRecord = {
      id: `${setting.lane}/${seq}`,
      time,
      subject: runId,
      principal,
      lane: { ...place, seq },
      prev,
      event,
    };
    const value = encodeHistory(record);
    const digest = setting.digest(value);
    chain = nextChain(chain, digest, setting.digest);
    prepared.push({ record, value, digest });
    return digest;
  };
  for (const batched of events) {
    if (batched.runId === null) add(batched.event, null, null);
    else {
      const { runId, drafted } = batched;
      runs.set(runId, { run: drafted.after, prev: add(drafted.event, runId, drafted.principal) });
    }
  }
  add(advanced(chain), null, null);
  return { prepared, runs, chain, epoch: lane.epoch, first };
};

/** The record that takes the lane: first of the next epoch in log order wins. */
export const prepareAcquire = (machine: LaneMachine, now: number): Flight => {
  const { lane, setting } = machine;
  const seq = lane.seq + 1;
  const record: HistoryRecord = {
    id: `${setting.lane}/${seq}`,
    time: new Date(now).toISOString(),
    subject: null,
    principal: null,
    lane: { epoch: lane.epoch + 1, seq, owner: setting.owner, first: seq, size: 1 },
    prev: null,
    event: { type: 'LaneAcquired', version: 1, data: { at: Math.max(now, lane.at) } },
  };
  const value = encodeHistory(record);
  const digest = setting.digest(value);
  return {
    kind: 'acquire',
    epoch: lane.epoch + 1,
    first: seq,
    prepared: [{ record, value, digest }],
    runs: new Map(),
    chain: nextChain(lane.chain, digest, setting.digest),
    reactions: [],
    taken: 0,
    decidedAt: now,
  };
};
