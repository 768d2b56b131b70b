import 'reflect-metadata';
import { topicNames } from '@holdfast/contracts';
import { LogUnavailable } from '@holdfast/log';
import { systemClock, systemIds, systemTimer } from '@holdfast/sdk';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { z } from 'zod';
import type { BaseConfig } from '../config/base-config.js';
import { printConfig } from '../config/describe-config.js';
import { rememberSecrets } from '../config/named-secrets.js';
import { ConfigError, readConfig } from '../config/read-config.js';
import { carelessFiles } from '../config/secret-files.js';
import { listen, withHealth, type Listening } from '../health/health-http.js';
import { Health } from '../health/health.js';
import { openTelemetry, withMetrics, type Telemetry } from '../telemetry/telemetry.js';
import { openKafka, type Kafka, type KafkaFactory } from '../kafka/kafka.js';
import { checkRights } from '../kafka/check-rights.js';
import { prepareCluster } from '../kafka/prepare-cluster.js';
import { createLogger, type ServiceLogger } from '../logger.js';
import { readArguments } from './arguments.js';
import { processHost, type Host } from './host.js';
import { nestLogger } from './nest-logger.js';
import { ServiceModule } from './service.module.js';

export type ServiceDefinition<C extends BaseConfig> = {
  readonly name: string;
  readonly config: z.ZodObject & z.ZodType<C>;
  /**
   * The service's Nest module. Its providers begin in `onApplicationBootstrap` (the cluster is there, topics are
   * checked), end in `onApplicationShutdown`, and tell `Health` how they are.
   */
  readonly module: (config: C) => DynamicModule | Type | Promise<DynamicModule | Type>;
  /**
   * For a service that answers more over HTTP than how it is: called before the module's routes are made. It says itself
   * how bodies are read; without it none are.
   */
  readonly http?: (app: NestExpressApplication, config: C) => void;
  readonly kafka?: KafkaFactory;
};

/**
 * Runs a service until it is told to stop (with `--print-config`: says with which configuration it would): reads its configuration, answers `/health` and `/ready`, waits for Kafka,
 * prepares the topics, starts the module, logs `ready` with the HTTP port. SIGTERM and SIGINT stop it within `drainMs`
 * with exit code 0; whatever makes going on wrong is one log line and exit code 1. Resolves when it is ready, or has
 * given up.
 */
export const runService = async <C extends BaseConfig>(
  definition: ServiceDefinition<C>,
  host: Host = processHost,
): Promise<void> => {
  const args = readArguments(definition, host.args);
  if ('refused' in args) {
    host.complain(args.refused);
    return host.exit(2);
  }
  let config: C;
  try {
    config = readConfig(definition.config, host.env) as C;
    rememberSecrets(config.secrets, host.env);
  } catch (error) {
    host.complain(`${definition.name}: ${error instanceof ConfigError ? error.message : String(error)}`);
    return host.exit(1);
  }
  if (args.printConfig) {
    host.print(printConfig(definition.config, config, host.env));
    return host.exit(0);
  }
  const { instance, logLevel } = config;
  const logger = createLogger({ service: definition.name, instance, logLevel }, host.output);
  for (const warning of carelessFiles(host.env)) logger.warn(warning);
  await new RunningService(definition, config, { host, logger }).start();
};

/** Before the topics are looked at again. */
const PAUSE_MS = 200;

type Surroundings = { readonly host: Host; readonly logger: ServiceLogger };

class RunningService<C extends BaseConfig> {
  private readonly health = new Health();
  private readonly telemetry: Telemetry;
  private readonly stopping = new AbortController();
  private readonly host: Host;
  private readonly logger: ServiceLogger;
  private http: Listening | null = null;
  private kafka: Kafka | null = null;
  private app: NestExpressApplication | null = null;
  private phase: 'starting' | 'ready' | 'stopping' = 'starting';
  private exited = false;

  constructor(
    private readonly definition: ServiceDefinition<C>,
    private readonly config: C,
    { host, logger }: Surroundings,
  ) {
    this.host = host;
    this.logger = logger;
    this.telemetry = openTelemetry(definition.name, config, this.health, logger);
    this.health.contribute('service', () => ({ ok: this.phase === 'ready', detail: this.phase }));
  }

  async start(): Promise<void> {
    this.host.onStop((why) => void this.stop(why));
    this.host.onCrash((error) => this.fatal(error));
    try {
      await this.open();
    } catch (error) {
      if (!this.stopping.signal.aborted) this.fatal(error);
    }
  }

  private async open(): Promise<void> {
    const { name } = this.definition;
    const { httpHost, httpPort, namespace } = this.config;
    const adapter = new ExpressAdapter();
    const about = { service: name, instance: this.config.instance };
    const answering = withHealth(this.health, about, adapter.getInstance());
    this.http = await listen(withMetrics(this.telemetry.metrics, answering), httpHost, httpPort);
    this.kafka = this.telemetry.around((this.definition.kafka ?? openKafka)(this.config, this.logger, name));
    await this.kafka.wait(this.stopping.signal);
    const names = topicNames(namespace);
    const { log, topics } = this.kafka;
    const ports = { log, topics, names, clock: systemClock, ids: systemIds };
    await checkRights(this.kafka, names, name, Object.keys(this.config.queues));
    await this.patiently(() => prepareCluster(ports, this.config));
    if (this.stopping.signal.aborted) return;
    const parts = {
      config: this.config,
      logger: this.logger,
      names,
      kafka: this.kafka,
      health: this.health,
      metrics: this.telemetry.metrics,
      traces: this.telemetry.traces,
      fatal: (error: unknown) => this.fatal(error),
    };
    const root = ServiceModule.around(await this.definition.module(this.config), parts);
    const options = { logger: nestLogger(this.logger), abortOnError: false, forceCloseConnections: true } as const;
    this.app = await NestFactory.create<NestExpressApplication>(root, adapter, { ...options, bodyParser: false });
    this.definition.http?.(this.app, this.config);
    await this.app.init();
    if (this.stopping.signal.aborted) return;
    this.phase = 'ready';
    this.logger.info({ host: httpHost, port: this.http.port, lanes: this.config.lanes, namespace }, 'ready');
  }

  /** A cluster that is slow, or away for a while, is no reason to end. */
  private async patiently(prepare: () => Promise<void>): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        return await prepare();
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error;
        this.logger.warn({ detail: error.message }, 'the topics cannot be prepared, trying again');
        await new Promise<void>((resolve) => void systemTimer.after(PAUSE_MS, resolve));
      }
    }
  }

  private async stop(why: string): Promise<void> {
    if (this.phase === 'stopping') {
      this.logger.warn({ why }, 'asked to stop again: stopping at once');
      return this.exit(1);
    }
    this.phase = 'stopping';
    this.stopping.abort();
    this.logger.info({ why, drainMs: this.config.drainMs }, 'stopping');
    const inTime = await this.within(this.config.drainMs, this.close());
    if (!inTime) this.logger.warn({ drainMs: this.config.drainMs }, 'did not end in time: stopping as it is');
    else this.logger.info('stopped');
    this.exit(0);
  }

  private async close(): Promise<void> {
    try {
      await this.app?.close();
      await this.kafka?.log.close();
      await this.telemetry.traces.close();
      await this.http?.close();
    } catch (error) {
      this.logger.error({ err: error }, 'something failed while stopping');
    }
  }

  private within(ms: number, work: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
  }

  private fatal(error: unknown): void {
    if (this.exited) return;
    const message = error instanceof Error ? error.message : String(error);
    this.logger.fatal({ err: error }, `cannot go on: ${message}`);
    this.exit(1);
  }

  private exit(code: number): void {
    if (this.exited) return;
    this.exited = true;
    this.host.exit(code);
  }
}
