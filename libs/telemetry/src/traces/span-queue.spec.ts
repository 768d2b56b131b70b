import { RelayedMetrics } from '../metrics/relayed-metrics.js';
import { SpanQueue, type Send } from './span-queue.js';
import type { Span } from './span.js';

const span = (name: string): Span => ({
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  parentSpanId: undefined,
  name,
  kind: 'internal',
  start: 1,
  end: 2,
  attributes: {},
  links: [],
  failure: null,
});

const queueTo = (send: Send, waitingMax?: number) => {
  const metrics = new RelayedMetrics();
  const warned: string[] = [];
  const warn = (detail: string): void => void warned.push(detail);
  const queue = new SpanQueue({ send, metrics, warn, ...(waitingMax === undefined ? {} : { waitingMax }) });
  const counts = () =>
    Object.fromEntries(metrics.drain().map((one) => [one.labels['outcome'], 'by' in one ? one.by : 0]));
  return { queue, counts, warned };
};

/** Nothing here waits for time. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('the queue of spans', () => {
  it('sends what was told, together, and at the latest when it is closed', async () => {
    const sent: string[][] = [];
    const { queue, counts } = queueTo(async (spans) => void sent.push(spans.map(({ name }) => name)));
    queue.tell(span('a'));
    queue.tell(span('b'));
    await queue.close();
    expect(sent).toEqual([['a', 'b']]);
    expect(counts()).toEqual({ exported: 2 });
  });

  it('drops what comes while too many wait, and counts it', async () => {
    let go: () => void = () => undefined;
    const { queue, counts } = queueTo(() => new Promise((resolve) => (go = resolve)), 512);
    for (let told = 0; told < 2_000; told += 1) queue.tell(span('a'));
    expect(counts()).toEqual({ dropped: 2_000 - 512 - 512 });
    go();
  });

  it('says once that a collector takes nothing, and goes on trying', async () => {
    let isAway = true;
    const { queue, counts, warned } = queueTo(async () => {
      if (isAway) throw new Error('refused');
    });
    for (let told = 0; told < 1_024; told += 1) queue.tell(span('a'));
    await turns();
    expect(warned).toEqual(['refused']);
    expect(counts()).toEqual({ failed: 1_024 });
    isAway = false;
    queue.tell(span('c'));
    await queue.close();
    expect(counts()).toEqual({ exported: 1 });
  });
});
