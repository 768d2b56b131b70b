import { topicNames } from '@holdfast/contracts';
import { createKafkaLog } from '@holdfast/log';
import { findSecret, InvalidTool, knownSecrets, maskPrinting, systemTimer, type Logger } from '@holdfast/sdk';
import { loadToolsAndFiles } from '@holdfast/tool-files';
import { meteredLog, openTraces, RelayedMetrics } from '@holdfast/telemetry';
import type { ToParent, ToWorker, WorkerConfig } from '../channel/channel.js';
import { readClocks } from '../channel/shared-clock.js';
import { workerLogger } from './logger.js';
import { OrphanGuard } from './orphan-guard.js';
import { Worker } from './worker.js';

const SEEN_MS = 500;
const NUMBERS_MS = 1_000;

const tell = (message: ToParent, sent: () => void = () => undefined): void => {
  // Without a parent there is nobody to tell; the disconnection is news of its own.
  if (process.connected) process.send?.(message, sent);
  else sent();
};

const open = async (config: WorkerConfig, logger: Logger): Promise<Worker> => {
  const { access, kafkaBrokers: brokers, namespace, instance, lanes, concurrency } = config;
  const { tools, close: closeTools } = await loadToolsAndFiles(config.tools, { logger });
  const kafka = createKafkaLog({ ...access, brokers, clientId: `${namespace}.executor-worker.${instance}`, logger });
  const metrics = new RelayedMetrics();
  const log = meteredLog(kafka, metrics, namespace);
  const traces = openTraces(
    { service: 'executor', namespace, instance, endpoint: config.traceEndpoint },
    metrics,
    logger,
  );
  systemTimer.every(NUMBERS_MS, () => tellNumbers(metrics));
  const guard = new OrphanGuard(config.graceMs);
  systemTimer.every(SEEN_MS, () => guard.seen());
  const leave = async (): Promise<void> => {
    await worker.close();
    await closeTools();
    await traces.close();
    tellNumbers(metrics);
    if (!process.connected) endGroup();
    process.exit(0);
  };
  const worker = new Worker(
    {
      log,
      names: topicNames(namespace),
      lanes,
      tools,
      timer: systemTimer,
      logger,
      metrics,
      traces,
      clocks: readClocks,
      tell: (message) => {
        if (message.type === 'calls')
          for (const { deadline } of message.begun) guard.callBegins(deadline - worker.now());
        tell(message);
      },
      drained: () => void leave(),
    },
    {
      concurrency,
      leaseMs: config.leaseMs,
      leaseMarginMs: config.heartbeatMs,
      skewMs: config.skewMs,
      graceMs: config.graceMs,
    },
  );
  tell({ type: 'ready', catalogue: tools.catalogue() });
  return worker;
};

const tellNumbers = (metrics: RelayedMetrics): void =>
  tell({ type: 'numbers', counted: metrics.drain(), levels: metrics.levels() });

/** Without a parent nobody else ends what tools have started. */
const endGroup = (): void => {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // This process leads no group: it was started by hand.
  }
};

/** Tools may print, and throw, what they like: none of it leaves with a secret. */
const keepSecrets = ({ access, secrets }: WorkerConfig, logger: Logger): void => {
  for (const name of secrets) knownSecrets.add(name, findSecret(name, process.env) ?? '');
  knownSecrets.add('HOLDFAST_KAFKA_PASSWORD', access.login?.password ?? '');
  knownSecrets.add('HOLDFAST_KAFKA_KEY_FILE', access.tls?.key ?? '');
  maskPrinting(process.stdout, process.stderr);
  // Node.js would print it by itself, as it is.
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, 'the worker cannot go on');
    process.exit(1);
  });
};

const begin = async (config: WorkerConfig): Promise<void> => {
  const logger = workerLogger(config.instance, config.logLevel);
  // A promise that a tool has forgotten is its mistake; it is no reason to put every other call in doubt.
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'a rejection was not handled'));
  try {
    keepSecrets(config, logger);
    const worker = await open(config, logger);
    process.removeAllListeners('disconnect').once('disconnect', () => worker.parentLost());
    process.on('message', (message) => worker.receive(message as ToWorker));
  } catch (error) {
    logger.error({ err: error }, 'the worker cannot start');
    const problem = knownSecrets.mask(error instanceof Error ? error.message : String(error));
    if (error instanceof InvalidTool) tell({ type: 'cannot-start', problem }, () => process.exit(1));
    else process.exit(1);
  }
};

// Only the parent stops its worker: a signal to everybody must not end calls half-way.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(0));
process.once('message', (config) => void begin(config as WorkerConfig));
