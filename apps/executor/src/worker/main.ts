import { topicNames } from '@holdfast/contracts';
import { InvalidTool, loadTools, systemClock, systemIds, systemTimer } from '@holdfast/sdk';
import { createLogger, openKafka, publishTools, readConfig, ToolsRefused, type ServiceLogger } from '@holdfast/service';
import type { ToParent, ToWorker } from '../channel/channel.js';
import { readClocks } from '../channel/shared-clock.js';
import { executorConfigSchema, type ExecutorConfig } from '../executor.config.js';
import { Worker } from './worker.js';

const tell = (message: ToParent, sent: () => void = () => undefined): void => {
  // Without a parent there is nobody to tell; the disconnection is news of its own.
  if (process.connected) process.send?.(message, sent);
  else sent();
};

const open = async (config: ExecutorConfig, logger: ServiceLogger): Promise<Worker> => {
  const { namespace, lanes, concurrency, leaseMs, heartbeatMs, skewMs, graceMs } = config;
  const tools = await loadTools(config.tools);
  const kafka = openKafka(config, logger, 'executor-worker');
  const names = topicNames(namespace);
  await kafka.wait(new AbortController().signal);
  await publishTools({ log: kafka.log, topics: names, clock: systemClock, ids: systemIds }, tools, config.startByMs);
  const ports = { log: kafka.log, names, lanes, tools, timer: systemTimer, logger, clocks: readClocks };
  const leave = async (): Promise<void> => {
    await worker.close();
    await kafka.log.close();
    process.exit(0);
  };
  const worker = new Worker(
    { ...ports, tell, drained: () => void leave() },
    { concurrency, leaseMs, leaseMarginMs: heartbeatMs, skewMs, graceMs },
  );
  const queues = [...new Set(tools.all.map(({ queue }) => queue))];
  tell({ type: 'ready', tools: tools.all.map(({ ref }) => ref), queues });
  return worker;
};

const run = async (): Promise<void> => {
  // Only the parent stops its worker; a signal to the whole group must not end calls half-way.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  process.once('disconnect', () => process.exit(0));
  const config = readConfig(executorConfigSchema, process.env);
  const logger = createLogger({ service: 'executor-worker', ...config });
  // A promise that a tool has forgotten is its mistake; it is no reason to put every other call in doubt.
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'a rejection was not handled'));
  try {
    const worker = await open(config, logger);
    process.removeAllListeners('disconnect').once('disconnect', () => worker.parentLost());
    process.on('message', (message) => worker.receive(message as ToWorker));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const final = error instanceof InvalidTool || error instanceof ToolsRefused;
    logger.error({ err: error }, 'the worker cannot start');
    if (final) tell({ type: 'cannot-start', problem }, () => process.exit(1));
    else process.exit(1);
  }
};

await run();
