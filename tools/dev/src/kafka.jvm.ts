import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { metaProperties, serverProperties } from './kafka.config.js';
import { repositoryRoot, stateDir } from './paths.js';

const kafkaDir = join(stateDir, 'kafka');
const libs = join(kafkaDir, 'libs');
const checkpoint = 'bootstrap.checkpoint';

/** The arguments of `java` that run a class out of Kafka's jars: tuned to start fast and to share two cores. */
export const javaArgs = (mainClass: string, args: readonly string[], jvmArgs: readonly string[] = []): string[] => [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:-UsePerfData',
  '-Xmx512m',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS',
  ...jvmArgs,
  '-cp',
  join(libs, '*'),
  mainClass,
  ...args,
];

/** The `java` of JAVA_HOME, or else of PATH. */
export const java = (): string => {
  const home = process.env['JAVA_HOME'];
  const own = home === undefined ? '' : join(home, 'bin', 'java');
  return own !== '' && existsSync(own) ? own : 'java';
};

/** Fails with what to do when the broker's jars are not there. */
export const requireJars = (): void => {
  if (existsSync(libs)) return;
  throw new Error(
    `Kafka's jars are not in ${libs}. Resolve them once: node ${join(repositoryRoot, 'tools/dev/bootstrap.mjs')} prepare`,
  );
};

/**
 * Makes an empty data folder what Kafka calls formatted; one that is formatted already stays as it is.
 *
 * Kafka's own tool writes the first metadata, once for all clusters: it costs a JVM start, and the result does not
 * depend on the cluster or the node.
 */
export const format = async (dataDir: string, nodeId: number, clusterId: string, own?: OwnFormat): Promise<void> => {
  const meta = join(dataDir, 'meta.properties');
  if (existsSync(meta)) return;
  if (own !== undefined) return runTool('kafka.tools.StorageTool', formatArgs(clusterId, own.config, own.args));
  mkdirSync(dataDir, { recursive: true });
  copyFileSync(await formattedOnce(), join(dataDir, checkpoint));
  writeFileSync(meta, metaProperties(nodeId, clusterId, kafkaUuid()));
};

/** For a node whose first metadata is its own, with credentials for example. */
export type OwnFormat = { readonly config: string; readonly args: readonly string[] };

const formatArgs = (clusterId: string, config: string, more: readonly string[] = []): readonly string[] => [
  'format',
  '-t',
  clusterId,
  '-c',
  config,
  ...more,
];

/** Runs one of Kafka's own tools to its end. */
export const runTool = async (mainClass: string, args: readonly string[]): Promise<void> => {
  await promisify(execFile)(java(), javaArgs(mainClass, args));
};

/** A random id in Kafka's way of writing it. A leading dash would read as an option. */
export const kafkaUuid = (): string => `h${randomBytes(16).toString('base64url').slice(1)}`;

const formattedOnce = async (): Promise<string> => {
  const kept = join(kafkaDir, checkpoint);
  if (existsSync(kept)) return kept;

  const scratch = mkdtempSync(join(kafkaDir, 'format-'));
  try {
    const config = join(scratch, 'server.properties');
    const data = join(scratch, 'data');
    const node = { id: 1, port: 9092, controllerPort: 9093 };
    writeFileSync(config, serverProperties(node, [node], data, {}));
    await runTool('kafka.tools.StorageTool', formatArgs(kafkaUuid(), config));
    renameSync(join(data, checkpoint), kept);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return kept;
};
