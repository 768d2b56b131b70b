import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot, stateDir } from './paths.js';

/** What a measurement was made on; without it a number says nothing. */
export type Machine = {
  readonly cpus: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly node: string;
  readonly kafka: string;
};

export const describeMachine = (ownKafka: boolean): Machine => ({
  cpus: cpus().length,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  kafka: ownKafka ? kafkaVersion() : 'given by KAFKA_BROKERS',
});

/** The commit measured, with a mark when there were changes beside it; null outside a repository. */
export const commitOf = (): string | null => {
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+changes');
  } catch {
    return null;
  }
};

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const kafkaVersion = (): string => {
  const jars = readdirSync(join(stateDir, 'kafka', 'libs'));
  return (
    jars.map((jar) => /^kafka_[\d.]+-(.+)\.jar$/.exec(jar)?.[1]).find((version) => version !== undefined) ?? 'unknown'
  );
};
