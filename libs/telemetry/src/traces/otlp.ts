import type { Logger } from '@holdfast/sdk';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Resource } from '@opentelemetry/resources';
import type { Metrics } from '../metrics/metrics.port.js';
import { noTraces, type Span, type Traces } from './span.js';
import { SpanQueue, type Send } from './span-queue.js';

export type TracesOptions = {
  readonly service: string;
  readonly namespace: string;
  readonly instance: string;
  /** Where OTLP/HTTP is spoken; nothing is traced without it. */
  readonly endpoint: string | undefined;
};

/** Longer than a collector takes; a batch that waits for one that is away is given up then. */
const TIMEOUT_MS = 5_000;

/** Spans for OpenTelemetry. Without an endpoint not even its code is loaded. */
export const openTraces = (options: TracesOptions, metrics: Metrics, logger: Pick<Logger, 'warn'>): Traces => {
  const { endpoint } = options;
  if (endpoint === undefined) return noTraces;
  const sender = otlpSender(endpoint, options);
  const send: Send = async (spans) => (await sender)(spans);
  sender.catch(() => undefined);
  const warn = (detail: string): void => logger.warn({ endpoint, detail }, 'spans do not arrive; they are dropped');
  return new SpanQueue({ send, metrics, warn });
};

const otlpSender = async (url: string, { service, namespace, instance }: TracesOptions): Promise<Send> => {
  const { SpanKind, SpanStatusCode } = await import('@opentelemetry/api');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: TIMEOUT_MS });
  const resource = resourceFromAttributes({
    'service.name': `holdfast-${service}`,
    'service.namespace': namespace,
    'service.instance.id': instance,
  });
  const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };
  const readable = (span: Span): ReadableSpan => ({
    ...readableSpan(span, resource),
    kind: kinds[span.kind],
    status:
      span.failure === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: span.failure },
  });
  return (spans) =>
    new Promise((resolve, reject) => {
      exporter.export(spans.map(readable), ({ code, error }) => {
        const outcome: number = code;
        if (outcome === 0) resolve();
        else reject(error ?? new Error('the collector did not take them'));
      });
    });
};

const SCOPE = { name: 'holdfast' };

/** The span as the exporter wants it: made by hand, since its id follows from the log and not from chance. */
const readableSpan = (span: Span, resource: Resource): Omit<ReadableSpan, 'kind' | 'status'> => {
  const { traceId, spanId, parentSpanId, name, attributes } = span;
  const at = (id: string) => ({ traceId, spanId: id, traceFlags: 1 });
  return {
    name,
    spanContext: () => at(spanId),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { ...at(parentSpanId), isRemote: true } }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    duration: hrTime(Math.max(0, span.end - span.start)),
    attributes: { ...attributes },
    links: span.links.map(({ spanId: id, about }) => ({ context: at(id), attributes: { 'holdfast.about': about } })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};

const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
