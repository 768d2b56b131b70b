import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { routes } from '@holdfast/api';
import { traceIn, traceparentOf, type Trace } from '@holdfast/events';
import type { Client } from '@holdfast/sdk';
import { METRICS, TRACES, type BaseConfig } from '@holdfast/service';
import type { Metrics, Traces } from '@holdfast/telemetry';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler, Response } from 'express';

/** Where the request that is being served stands in a trace. */
const place = new AsyncLocalStorage<string>();

/** A client whose submissions belong to the trace of the request that they come with. */
export const tracedClient = (client: Client): Client => ({
  ...client,
  submit: (submission) => {
    const traceparent = place.getStore();
    return client.submit(traceparent === undefined ? submission : { traceparent, ...submission });
  },
});

/** Counts requests, and traces those that begin runs or come with a trace. To be set up before all else. */
export const watchHttp = (app: NestExpressApplication, config: Pick<BaseConfig, 'traceRatio'>): void => {
  const streams = { open: 0 };
  const metrics = app.get<Metrics>(METRICS);
  metrics.look((levels) => levels.set('holdfast_http_streams', {}, streams.open));
  app.use(watching({ metrics, traces: app.get<Traces>(TRACES), ratio: config.traceRatio, streams }));
};

type Watching = {
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly ratio: number;
  readonly streams: { open: number };
};

export const watching =
  ({ metrics, traces, ratio, streams }: Watching): RequestHandler =>
  (request, response, next) => {
    const begun = performance.now();
    const span = traces.enabled ? beginSpan(request, ratio) : null;
    let isStream = false;
    const writeHead = response.writeHead.bind(response);
    // A stream is open as long as its answer is; that it is one is known with its head.
    response.writeHead = ((...head: Parameters<typeof writeHead>) => {
      const answer = writeHead(...head);
      isStream = String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
      if (isStream) streams.open += 1;
      return answer;
    }) as typeof response.writeHead;
    response.once('close', () => {
      if (isStream) streams.open -= 1;
      const route = routeOf(request);
      const method = METHODS.has(request.method) ? request.method : 'other';
      metrics.add('holdfast_http_requests_total', { route, method, status: response.statusCode });
      if (!isStream)
        metrics.observe('holdfast_http_request_seconds', { route, method }, (performance.now() - begun) / 1_000);
      if (span !== null) endSpan(traces, span, { route, method, response });
    });
    if (span === null) next();
    else place.run(traceparentOf(span.trace, span.spanId), () => next());
  };

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The template of the route, never the path: paths name runs. */
const routeOf = (request: Request): string => {
  const { route } = request as { readonly route?: { readonly path?: unknown } };
  const path = route?.path;
  if (typeof path === 'string' && !path.includes('*')) return path;
  return request.path.startsWith('/v1') || request.path === routes.callMcp.path || path === undefined
    ? 'unmatched'
    : 'page';
};

type Begun = { readonly trace: Trace; readonly spanId: string; readonly startedAt: number };

const beginSpan = (request: Request, ratio: number): Begun | null => {
  const given = traceIn(request.header('traceparent'));
  const spanId = randomBytes(8).toString('hex');
  const startedAt = Date.now();
  if (given !== undefined) return { trace: given, spanId, startedAt };
  const begins = request.method === 'POST' && request.path === '/v1/runs';
  if (!begins || Math.random() >= ratio) return null;
  return { trace: { id: randomBytes(16).toString('hex'), sampled: true }, spanId, startedAt };
};

type Ended = { readonly route: string; readonly method: string; readonly response: Response };

const endSpan = (traces: Traces, { trace, spanId, startedAt }: Begun, { route, method, response }: Ended): void => {
  if (!trace.sampled) return;
  traces.tell({
    traceId: trace.id,
    spanId,
    parentSpanId: trace.parent,
    name: `${method} ${route}`,
    kind: 'server',
    start: startedAt,
    end: Date.now(),
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': response.statusCode,
    },
    links: [],
    failure: response.statusCode >= 500 ? `status ${response.statusCode}` : null,
  });
};
