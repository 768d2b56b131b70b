import { Ending } from '../ending.js';
import { LogUnavailable } from '../log.port.js';
import { Behind } from './behind.js';
import type { BrokerClient } from './client.js';
import { Reader } from './read.js';

const PLACE = { topic: 'lane', partition: 0 };

class OutOfRange extends Error {
  readonly type = 'OFFSET_OUT_OF_RANGE';
  readonly code = 1;
}

type Node = { readonly start?: number; readonly end: number };

/** A client that asks one node until it is blamed, then the next. */
const readerOf = (copies: number, ...nodes: readonly Node[]) => {
  let asked = 0;
  const brokerOf = ({ start = 0, end }: Node) => ({
    fetch: async ({ topics }: { topics: { partitions: { fetchOffset: string }[] }[] }) => {
      const offset = Number(topics[0]?.partitions[0]?.fetchOffset);
      if (offset < start || offset > end) throw new OutOfRange('out of range');
      const answer = { partition: 0, highWatermark: String(end), messages: [], abortedTransactions: [] };
      return { responses: [{ topicName: 'lane', partitions: [answer] }] };
    },
    listOffsets: async ({ topics }: { topics: { partitions: { timestamp: number }[] }[] }) => {
      const offset = topics[0]?.partitions[0]?.timestamp === -2 ? start : end;
      return { responses: [{ partitions: [{ partition: 0, offset: String(offset) }] }] };
    },
  });
  const client = {
    leader: async () => ({
      session: { copies: () => copies },
      node: String(asked),
      broker: brokerOf(nodes[Math.min(asked, nodes.length - 1)] as Node),
    }),
    blame: () => void (asked += 1),
  } as unknown as BrokerClient;
  return new Reader(client, client, { timeoutMs: 1_000, ending: new Ending(), principal: 'User:me' });
};

describe('a read beyond the end of what its leader has', () => {
  it('is out of range at once where there is one copy', async () => {
    const reader = readerOf(1, { start: 2, end: 5 });
    expect(await reader.read(PLACE, 6)).toEqual({ outcome: 'out_of_range', start: 2, end: 5 });
  });

  it('is not known where another may lead: the leader may have stood still and not know it yet', async () => {
    const reader = readerOf(3, { end: 5 });
    await expect(reader.read(PLACE, 6)).rejects.toBeInstanceOf(LogUnavailable);
  });

  it('is read from whoever leads now when it is asked again', async () => {
    const reader = readerOf(3, { end: 5 }, { end: 9 });
    await expect(reader.read(PLACE, 6)).rejects.toBeInstanceOf(LogUnavailable);
    expect(await reader.read(PLACE, 6)).toMatchObject({ outcome: 'fetched', end: 9 });
  });

  it('is out of range at once below the start, whoever leads', async () => {
    const reader = readerOf(3, { start: 2, end: 5 });
    expect(await reader.read(PLACE, 1)).toEqual({ outcome: 'out_of_range', start: 2, end: 5 });
  });
});

describe('that an offset lies beyond the end', () => {
  const said = { start: 0, end: 5, copies: 3 };
  const asked = { ...PLACE, offset: 6 };
  const proven = (behind: Behind, seconds: readonly number[]): readonly boolean[] =>
    seconds.map((second) => behind.isOutOfRange(asked, said, second * 1_000));

  it('is believed when it has been said for half a minute', () =>
    expect(proven(new Behind(), [0, 10, 20, 29, 30])).toEqual([false, false, false, false, true]));

  it('is not, when nobody was asked for a while in between', () =>
    expect(proven(new Behind(), [0, 10, 26, 36, 46, 56])).toEqual([false, false, false, false, false, true]));

  it('is, also when somebody read what lies before it', () => {
    const behind = new Behind();
    proven(behind, [0, 10, 20]);
    behind.forget({ ...asked, offset: 5 });
    expect(proven(behind, [30])).toEqual([true]);
  });

  it('is not, when it was read in between', () => {
    const behind = new Behind();
    proven(behind, [0, 10, 20]);
    behind.forget(asked);
    expect(proven(behind, [31, 40, 50, 61])).toEqual([false, false, false, true]);
  });
});
