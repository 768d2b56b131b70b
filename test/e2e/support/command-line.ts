import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@holdfast/dev';

export type Said = {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** With `--json`: each line. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
};

const PROGRAM = join(repositoryRoot, 'apps', 'cli', 'bin', 'holdfast.mjs');
const PATIENCE_MS = 60_000;

/** `holdfast` as people call it: a process of its own, before one namespace. */
export const commandLine =
  (brokers: readonly string[], namespace: string, more: Readonly<Record<string, string>> = {}) =>
  (...args: readonly string[]): Promise<Said> => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      KAFKA_BROKERS: brokers.join(','),
      HOLDFAST_NAMESPACE: namespace,
      ...more,
    };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [PROGRAM, ...args], { env, timeout: PATIENCE_MS }, (error, out, err) => {
        const exit = error === null ? 0 : error.code;
        if (typeof exit !== 'number') return reject(new Error(`holdfast ${args.join(' ')} did not end: ${err}`));
        const lines = args.includes('--json') ? out.split('\n').filter((line) => line !== '') : [];
        resolve({ exit, out, err, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) });
      });
    });
  };
