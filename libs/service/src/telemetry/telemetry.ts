import type { RequestListener, ServerResponse } from 'node:http';
import { meteredLog, openTraces, PromMetrics, type Traces } from '@holdfast/telemetry';
import type { BaseConfig } from '../config/base-config.js';
import type { Health } from '../health/health.js';
import type { Kafka } from '../kafka/kafka.js';
import type { ServiceLogger } from '../logger.js';

/** What a service has for those who watch it. */
export type Telemetry = {
  readonly metrics: PromMetrics;
  readonly traces: Traces;
  /** The same cluster, whose appends are counted. */
  readonly around: (kafka: Kafka) => Kafka;
};

type Config = Pick<BaseConfig, 'namespace' | 'instance' | 'traceEndpoint'>;

export const openTelemetry = (service: string, config: Config, health: Health, logger: ServiceLogger): Telemetry => {
  const { namespace, instance, traceEndpoint: endpoint } = config;
  const metrics = new PromMetrics(service);
  const traces = openTraces({ service, namespace, instance, endpoint }, metrics, logger);
  metrics.look((levels) => {
    levels.set('holdfast_info', { namespace }, 1);
    const { ready, checks } = health.report();
    levels.set('holdfast_ready', {}, Number(ready));
    for (const [check, { ok }] of Object.entries(checks)) levels.set('holdfast_check_ok', { check }, Number(ok));
  });
  const around = (kafka: Kafka): Kafka => ({
    ...kafka,
    log: meteredLog(kafka.log, metrics, namespace),
  });
  return { metrics, traces, around };
};

/** Answers `GET /metrics`, in front of the application like health, and hands everything else on. */
export const withMetrics =
  (metrics: PromMetrics, next: RequestListener): RequestListener =>
  (request, response) => {
    if (request.method !== 'GET' || (request.url ?? '').split('?')[0] !== '/metrics') return next(request, response);
    void answer(metrics, response);
  };

const answer = async (metrics: PromMetrics, response: ServerResponse): Promise<void> => {
  try {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
    response.end(text);
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`${error instanceof Error ? error.message : String(error)}\n`);
  }
};
