import type { DestinationStream } from 'pino';
import type { Environment } from '../config/read-config.js';

/** The process around a service. */
export type Host = {
  readonly env: Environment;
  readonly args: readonly string[];
  /** Where log lines go; standard output where absent. */
  readonly output?: DestinationStream;
  /** For what was asked for instead of running. */
  print(text: string): void;
  /** For what goes wrong before there is a log. */
  complain(message: string): void;
  onStop(stop: (why: string) => void): void;
  onCrash(crash: (error: unknown) => void): void;
  exit(code: number): void;
};

export const processHost: Host = {
  env: process.env,
  args: process.argv.slice(2),
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (message) => void process.stderr.write(`${message}\n`),
  onStop: (stop) => {
    process.on('SIGTERM', () => stop('SIGTERM'));
    process.on('SIGINT', () => stop('SIGINT'));
  },
  onCrash: (crash) => {
    process.on('uncaughtException', crash);
    process.on('unhandledRejection', crash);
  },
  exit: (code) => process.exit(code),
};
