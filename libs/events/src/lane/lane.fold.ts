import type { Digest } from '../canonical.js';
import { Defect } from '../defect.js';
import { laneName } from '../ids.js';
import { DEFAULTS } from '../limits.js';
import type { HistoryEvent, HistoryRecord } from '../record/record.js';
import { evolve } from '../run/run.evolve.js';
import type { RunEvent } from '../run/run.events.js';
import type { SharedEventData } from '../shared/shared.events.js';
import { evolveShared } from '../shared/shared.evolve.js';
import { isLaneEvent, type LaneEvent, type Reply } from './lane.events.js';
import { acceptingEvents, type AcceptingEvent, type LaneState } from './lane.state.js';

export type Folded = 'valid' | 'void' | 'repeated';

/** Repeats older than this many records are told by their number alone. */
const RECENT_MAX = 2_048;

/**
 * Folds the next record of a lane's log. The one place that says who may add to a history:
 * first `LaneAcquired` of the next epoch wins; what a former owner wrote late is void; what is there already is a
 * repeat; anything else that does not follow is a `Defect`. `valueDigest` is the SHA-256 of the record's value bytes.
 */
export const foldRecord = (lane: LaneState, record: HistoryRecord, valueDigest: string, digest: Digest): Folded => {
  const folded = judge(lane, record, valueDigest);
  if (folded === 'void') lane.counts.void += 1;
  else if (folded === 'repeated') lane.counts.repeated += 1;
  else apply(lane, record, valueDigest, digest);
  return folded;
};

const judge = (lane: LaneState, record: HistoryRecord, valueDigest: string): Folded => {
  const { epoch, seq, owner, first, size } = record.lane;
  if (record.event.type === 'LaneAcquired') {
    const next = epoch === lane.epoch + 1 && seq === lane.seq + 1 && first === seq && size === 1;
    if (next && lane.batch === null) return 'valid';
    // One process may have asked for one epoch at two moments: what did not win says nothing, whatever it holds.
    return lane.recent.get(seq) === valueDigest ? 'repeated' : 'void';
  }
  if (epoch < lane.epoch || (epoch === lane.epoch && owner !== lane.owner)) return 'void';
  if (epoch === lane.epoch && seq <= lane.seq) return repeated(lane, seq, valueDigest);
  const follows = epoch === lane.epoch && seq === lane.seq + 1 && seq >= first && seq < first + size;
  const whole = lane.batch === null ? seq === first : lane.batch.first === first && lane.batch.size === size;
  if (follows && whole) return 'valid';
  throw new Defect(
    `record ${epoch}/${seq} (batch ${first}+${size}) cannot follow ${lane.epoch}/${lane.seq}` +
      (lane.batch ? ` inside batch ${lane.batch.first}+${lane.batch.size}` : ''),
  );
};

const repeated = (lane: LaneState, seq: number, valueDigest: string): Folded => {
  const known = lane.recent.get(seq);
  if (known !== undefined && known !== valueDigest) throw new Defect(`record ${seq} came again with other content`);
  return 'repeated';
};

const apply = (lane: LaneState, record: HistoryRecord, valueDigest: string, digest: Digest): void => {
  const { epoch, seq, owner, first, size } = record.lane;
  const { event } = record;
  if (event.type === 'LaneAcquired') {
    lane.epoch = epoch;
    lane.owner = owner;
  } else if (isLaneEvent(event)) {
    if (event.type === 'LaneAdvanced' && event.data.chain !== lane.chain) {
      throw new Defect(`record ${seq} names another hash of the records before it than they have`);
    }
    applyLaneEvent(lane, event);
    noteRequest(lane, record);
  } else applyRunEvent(lane, event, record, valueDigest);
  lane.seq = seq;
  lane.batch = seq === first + size - 1 ? null : { first, size };
  lane.chain = nextChain(lane.chain, valueDigest, digest);
  lane.counts.valid += 1;
  remember(lane, seq, valueDigest);
};

/** The lane's hash after one more record. */
export const nextChain = (chain: string, valueDigest: string, digest: Digest): string => digest(chain + valueDigest);

/** Keeps the digest of a valid record, so that a repeat with other bytes is noticed. */
export const remember = (lane: LaneState, seq: number, valueDigest: string): void => {
  lane.recent.set(seq, valueDigest);
  if (lane.recent.size > RECENT_MAX) lane.recent.delete(seq - RECENT_MAX);
};

const applyRunEvent = (lane: LaneState, event: RunEvent, record: HistoryRecord, valueDigest: string): void => {
  const runId = record.subject;
  if (runId === null) throw new Defect(`${event.type} at ${record.lane.seq} names no run`);
  const known = lane.runs.get(runId);
  if ((known?.prev ?? null) !== record.prev) {
    throw new Defect(`record ${record.lane.seq} of run ${runId} does not name the hash of the record before it`);
  }
  const run = evolve(known?.run, event, record.lane.seq);
  lane.runs.set(runId, { run, prev: valueDigest });
  noteRequest(lane, record);
  if (event.type === 'RunEnded') lane.endedRuns.push({ runId, endedAt: event.data.endedAt });
};

/** Requests that have an event of their own are known by it; the others by the reply in `LaneAdvanced`. */
export const noteRequest = (lane: LaneState, { event, subject, time }: HistoryRecord): void => {
  if (!isAccepting(event)) return;
  const { requestId } = event.data;
  const runId = subject ?? aboutOf(event);
  // Lane time may be days behind until the end of the batch; counted from it the request would be forgotten at once.
  const at = Math.max(lane.at, Date.parse(time) || 0);
  const reply = acceptedReply(event, runId);
  lane.requests.set(requestKey(runId, requestId), { runId, at, acceptedBy: event.type, reply });
};

/** The answer to the request that an event accepts. */
export const acceptedReply = (event: Accepting, runId: string): Reply => {
  const { requestId } = event.data;
  if (event.type === 'BulkCancelRequested') return bulkReply(event.data, runId);
  if (event.type !== 'CancelRemembered') return { requestId, runId, outcome: 'accepted' };
  const until = new Date(event.data.until).toISOString();
  const message = `no run ${runId} is known yet; it is cancelled if it comes before ${until}`;
  return { requestId, runId, outcome: 'accepted', code: 'remembered', message };
};

const bulkReply = ({ requestId, runs }: SharedEventData<'BulkCancelRequested'>, runId: string): Reply => {
  const message = `${runs} runs of ${runId} are being cancelled`;
  return { requestId, runId, outcome: 'accepted', message, details: { runs } };
};

/** What an event of the lane itself is about: a run that is named in it, or the whole lane. */
export const aboutOf = ({ data }: HistoryEvent): string => {
  if ('runId' in data) return data.runId;
  return 'lane' in data ? laneName(data.lane) : '';
};

type Accepting = Extract<HistoryEvent, { type: AcceptingEvent }>;
const accepting: ReadonlySet<string> = new Set(acceptingEvents);
export const isAccepting = (event: HistoryEvent): event is Accepting => accepting.has(event.type);

/** A repeat is known within its run: two clients may use one request id for two runs. */
export const requestKey = (runId: string, requestId: string): string => `${runId}/${requestId}`;

/** Applies what an event says about the lane itself. */
export const applyLaneEvent = (lane: LaneState, event: Exclude<LaneEvent, { type: 'LaneAcquired' }>): void => {
  if (event.type === 'InputsLost') {
    lane.positions[event.data.topic] = event.data.to;
    return;
  }
  if (event.type !== 'LaneAdvanced') {
    lane.shared = evolveShared(lane.shared, event);
    return;
  }
  const { positions, reactedSeq, replies, at } = event.data;
  for (const [topic, next] of Object.entries(positions)) {
    if (next < (lane.positions[topic] ?? 0)) throw new Defect(`the position of ${topic} went back to ${next}`);
    lane.positions[topic] = next;
  }
  lane.reactedSeq = Math.max(lane.reactedSeq, reactedSeq);
  lane.at = Math.max(lane.at, at);
  for (const reply of replies) noteReply(lane, reply);
  forget(lane);
};

const noteReply = (lane: LaneState, reply: Reply): void => {
  const key = requestKey(reply.runId, reply.requestId);
  if (lane.requests.has(key)) return;
  lane.requests.set(key, { runId: reply.runId, at: lane.at, acceptedBy: null, reply });
};

/** All forgetting compares with lane time, so that every reader forgets the same at the same record. */
const forget = (lane: LaneState): void => {
  for (const [key, { at }] of lane.requests) {
    if (at + DEFAULTS.requestMemoryMs > lane.at) break;
    lane.requests.delete(key);
  }
  while (lane.endedRuns[0] !== undefined && lane.endedRuns[0].endedAt + DEFAULTS.runIdMemoryMs <= lane.at) {
    const { runId } = lane.endedRuns.shift() as { runId: string };
    const status = lane.runs.get(runId)?.run.status;
    if (status === 'ended') lane.runs.delete(runId);
    // Something is still in doubt: it is remembered as long again.
    else if (status === 'closing') lane.endedRuns.push({ runId, endedAt: lane.at });
  }
};
