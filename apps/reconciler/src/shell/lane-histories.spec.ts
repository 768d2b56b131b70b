import { eventually } from '@holdfast/dev';
import {
  encodeHistory,
  restoreAt,
  runEvent,
  type HistoryEvent,
  type HistoryRecord,
  type RestoredLane,
} from '@holdfast/events';
import { createMemoryLog, MemoryCluster } from '@holdfast/log';
import { readLane, sha256, silentLogger } from '@holdfast/sdk';
import { LaneHistories } from './lane-histories.js';

const TOPIC = 'history';

const accepted = (runId: string): HistoryEvent =>
  runEvent('RunAccepted', {
    runId,
    requestId: 'r',
    requestHash: 'h',
    principal: null,
    labels: {},
    runKey: 'key',
    program: { kind: 'plan', steps: [{ id: 'a', tool: 't@1' }] },
    input: null,
    tools: {},
    acceptedAt: 0,
    deadlineAt: 1,
  });
const waiting = runEvent('RunWaiting', { waitingFor: 'an executor', since: 1 });
const acquired: HistoryEvent = { type: 'LaneAcquired', version: 1, data: { at: 1 } };

const hears = (heard: readonly string[], wanted: readonly string[]): Promise<unknown> =>
  eventually(`the histories say ${wanted.join(', ')}`, () => JSON.stringify(heard) === JSON.stringify(wanted));

const world = (snapshotOf: () => Promise<RestoredLane | null> = () => Promise.resolve(null)) => {
  const cluster = new MemoryCluster();
  cluster.create({ name: TOPIC, partitions: 3 });
  const log = createMemoryLog(cluster, { pollMs: 2 });
  const heard: string[] = [];
  const histories = new LaneHistories({
    log,
    topic: TOPIC,
    digest: sha256,
    logger: silentLogger,
    snapshotOf,
    listener: {
      seen: (lane) => heard.push(`seen ${lane}: ${[...histories.runsOf(lane)].map((run) => run.runId).join()}`),
      grown: (lane, runId) => heard.push(`grown ${lane}: ${runId}`),
      left: (lane) => heard.push(`left ${lane}`),
    },
  });
  const written = new Map<number, { seq: number; prev: Map<string, string> }>();
  const write = async (lane: number, event: HistoryEvent, runId: string | null = null): Promise<void> => {
    const known = written.get(lane) ?? { seq: -1, prev: new Map<string, string>() };
    written.set(lane, known);
    known.seq += 1;
    const record: HistoryRecord = {
      id: `${lane}/${known.seq}`,
      time: '2026-01-01T00:00:00Z',
      subject: runId,
      principal: null,
      lane: { epoch: 1, seq: known.seq, owner: 'me', first: known.seq, size: 1 },
      prev: runId === null ? null : (known.prev.get(runId) ?? null),
      event,
    };
    const value = encodeHistory(record);
    if (runId !== null) known.prev.set(runId, sha256(value));
    await log.append(TOPIC, lane, [{ key: runId, value }]);
  };
  return { log, heard, histories, write };
};

/** A snapshot at a place where nothing was yet, of a lane that somebody owns. */
const placed = (chain: string): RestoredLane => restoreAt({ offset: 1, epoch: 1, seq: 0, owner: 'me', chain });

describe('following the histories of lanes', () => {
  it('goes on from a snapshot, and tells of what came after it', async () => {
    const { heard, histories, write } = world(() => Promise.resolve(placed('the hash of what lies before')));
    await write(1, acquired);
    await write(1, accepted('x'), 'x');
    histories.hold(new Set([1]));
    await hears(heard, ['seen 1: x']);
    await histories.close();
  });

  it('begins with the first record where history contradicts the snapshot', async () => {
    const { log, heard, histories, write } = world(() => Promise.resolve(placed('another hash')));
    await write(1, acquired);
    await write(1, accepted('x'), 'x');
    const wrong = { positions: {}, reactedSeq: -1, replies: [], at: 1 };
    const { state } = await readLane({ log, topic: TOPIC, lane: 1, digest: sha256 });
    await write(1, { type: 'LaneAdvanced', version: 1, data: { ...wrong, chain: state.chain } });
    histories.hold(new Set([1]));
    await hears(heard, ['seen 1: x']);
    await histories.close();
  });

  it('asks for no snapshot any more once a lane is held no more', async () => {
    let found: (from: RestoredLane | null) => void = () => undefined;
    const { heard, histories, write } = world(() => new Promise((resolve) => (found = resolve)));
    await write(1, acquired);
    histories.hold(new Set([1]));
    histories.hold(new Set());
    found(null);
    await write(1, accepted('x'), 'x');
    expect(heard).toEqual(['left 1']);
    await histories.close();
  });

  it('tells of a lane once its history is read, then of each run that grows', async () => {
    const { heard, histories, write } = world();
    await write(1, acquired);
    await write(1, accepted('x'), 'x');
    await write(1, waiting, 'x');
    histories.hold(new Set([1]));
    await hears(heard, ['seen 1: x']);
    await write(1, accepted('y'), 'y');
    await hears(heard, ['seen 1: x', 'grown 1: y']);
    expect(histories.runOf(1, 'x')).toMatchObject({ waiting: { waitingFor: 'an executor' } });
    await histories.close();
  });

  it('tells of an empty lane too', async () => {
    const { heard, histories } = world();
    histories.hold(new Set([0]));
    await hears(heard, ['seen 0: ']);
    await histories.close();
  });

  it('leaves lanes that are held no more, and reads them anew when they come back', async () => {
    const { heard, histories, write } = world();
    await write(1, acquired);
    histories.hold(new Set([1]));
    await hears(heard, ['seen 1: ']);
    histories.hold(new Set());
    await write(1, accepted('x'), 'x');
    expect(histories.runOf(1, 'x')).toBeUndefined();
    histories.hold(new Set([1]));
    await hears(heard, ['seen 1: ', 'left 1', 'seen 1: x']);
    await histories.close();
  });

  it('stops at a defect in one lane and goes on with the others', async () => {
    const { log, heard, histories, write } = world();
    await write(1, acquired);
    await write(2, acquired);
    histories.hold(new Set([1, 2]));
    await hears(heard, ['seen 1: ', 'seen 2: ']);
    await log.append(TOPIC, 1, [{ key: null, value: Buffer.from('{}') }]);
    await hears(heard, ['seen 1: ', 'seen 2: ', 'left 1']);
    await write(2, accepted('y'), 'y');
    await hears(heard, ['seen 1: ', 'seen 2: ', 'left 1', 'grown 2: y']);
    expect(histories.status().broken.get(1)).toContain('offset 1');
    histories.hold(new Set([1, 2]));
    expect(histories.status().held).toEqual([2]);
    await histories.close();
  });
});
