import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { RelayedMetrics } from '../metrics/relayed-metrics.js';
import { openTraces } from './otlp.js';
import type { Span } from './span.js';

const span: Span = {
  traceId: 'c'.repeat(32),
  spanId: 'd'.repeat(16),
  parentSpanId: 'e'.repeat(16),
  name: 'attempt t@1',
  kind: 'internal',
  start: 1_700_000_000_123,
  end: 1_700_000_001_456,
  attributes: { 'holdfast.attempt': 1, 'holdfast.outcome': 'failed' },
  links: [{ spanId: 'f'.repeat(16), about: 'earlier attempt' }],
  failure: 'failed',
};
const about = { service: 'coordinator', namespace: 'n', instance: 'i' };

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const portOfNobody = async (): Promise<number> => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe('spans over OTLP/HTTP', () => {
  it('arrive as they were told, under the ids that follow from the log', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        return undefined;
      });
    });
    const endpoint = `http://127.0.0.1:${await listening(server)}/v1/traces`;
    const traces = openTraces({ ...about, endpoint }, new RelayedMetrics(), { warn: () => undefined });
    traces.tell(span);
    await traces.close();
    server.closeAllConnections();
    server.close();
    const [{ resourceSpans }] = bodies.map((body) => JSON.parse(body) as { resourceSpans: unknown[] }) as [
      { resourceSpans: unknown[] },
    ];
    expect(resourceSpans).toMatchObject([
      {
        resource: {
          attributes: expect.arrayContaining([{ key: 'service.name', value: { stringValue: 'holdfast-coordinator' } }]),
        },
        scopeSpans: [
          {
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                parentSpanId: span.parentSpanId,
                name: span.name,
                startTimeUnixNano: '1700000000123000000',
                endTimeUnixNano: '1700000001456000000',
                links: [{ traceId: span.traceId, spanId: 'f'.repeat(16) }],
                status: { code: 2, message: 'failed' },
              },
            ],
          },
        ],
      },
    ]);
  });

  it('hold up nobody and fail nothing where the collector is away', async () => {
    const metrics = new RelayedMetrics();
    const endpoint = `http://127.0.0.1:${await portOfNobody()}/v1/traces`;
    const traces = openTraces({ ...about, endpoint }, metrics, { warn: () => undefined });
    const begun = performance.now();
    for (let told = 0; told < 10_000; told += 1) traces.tell(span);
    await traces.close();
    expect(performance.now() - begun).toBeLessThan(10_000);
    // All but the batches that were on their way: nothing waits for a collector when the process is to end.
    const dropped = metrics.drain().find(({ labels }) => labels['outcome'] === 'dropped');
    expect(dropped).toMatchObject({ labels: { outcome: 'dropped' }, by: expect.any(Number) });
  });

  it('are not even made where nobody asks for them', () => {
    const traces = openTraces({ ...about, endpoint: undefined }, new RelayedMetrics(), { warn: () => undefined });
    expect(traces.enabled).toBe(false);
  });
});
