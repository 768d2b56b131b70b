import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, createWriteStream, openSync, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findCommand } from './paths.js';

const lifeline = fileURLToPath(new URL('../lifeline.sh', import.meta.url));

export type ServiceOptions = {
  /** What people call it; used in messages. */
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to this process' environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** The account that it runs under; this process' own where absent. Only root may name another one. */
  readonly uid?: number;
  readonly gid?: number;
  /** Output goes to the end of this file. Without `logFile` and `onLine` it goes where this process' output goes. */
  readonly logFile?: string;
  /** Called for each line the service prints. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
};

/** How a process ended: exactly one of the two is set. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running child process that never outlives this one, however this one ends. */
export type Service = {
  readonly name: string;
  /** The pid of the command itself; it leads a process group of its own. */
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly running: boolean;
  /** Sends a signal to the command itself. `false` if it has ended. */
  kill(signal?: NodeJS.Signals): boolean;
  /** Asks it to end (SIGTERM); kills its whole group when it has not ended after `graceMs` (default 5000). */
  stop(graceMs?: number): Promise<Exit>;
};

/** Starts a command through a lifeline. Rejects when it cannot be started at all. */
export const spawnService = async (options: ServiceOptions): Promise<Service> => {
  const { name, command, args = [], cwd, uid, gid } = options;
  const path = findCommand(command);
  if (path === null) throw new Error(`Cannot start ${name}: no program "${command}" is found. Install it or fix PATH.`);

  const output = openOutput(options);
  const child = spawn('/bin/sh', [lifeline, path, ...args], {
    detached: true,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', output.stdio, output.stdio, 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  output.attach(child);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Error(`Cannot start ${name}: ${cause.message}`, { cause })));
  });
  return watched(name, child);
};

const watched = (name: string, child: ChildProcess): Service => {
  const pid = child.pid;
  const held = child.stdio[3] as Readable;
  if (pid === undefined) throw new Error(`Cannot start ${name}: the system gave it no pid.`);
  let running = true;

  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      running = false;
      held.destroy(); // the watcher ends whatever the command has left behind in its group
      resolve({ code, signal });
    });
  });
  const killGroup = () => {
    if (running) killGroupOf(pid);
  };
  // The watcher was killed: nothing would end the command when this process dies, so it ends now.
  held.on('error', () => undefined);
  held.once('close', killGroup);
  held.resume();

  const kill = (signal: NodeJS.Signals = 'SIGTERM') => running && child.kill(signal);
  const stop = async (graceMs = 5_000): Promise<Exit> => {
    kill('SIGTERM');
    kill('SIGCONT'); // a frozen process sees no other signal
    const timer = setTimeout(killGroup, graceMs);
    return exited.finally(() => clearTimeout(timer));
  };
  return {
    name,
    pid,
    exited,
    get running() {
      return running;
    },
    kill,
    stop,
  };
};

const killGroupOf = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended and this process has not been told yet.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

type Output = { readonly stdio: 'inherit' | 'pipe' | number; attach(child: ChildProcess): void };

const openOutput = ({ logFile, onLine }: ServiceOptions): Output => {
  if (onLine !== undefined) {
    const log = logFile === undefined ? null : createWriteStream(logFile, { flags: 'a' });
    return { stdio: 'pipe', attach: (child) => followLines(child, log, onLine) };
  }
  if (logFile === undefined) return { stdio: 'inherit', attach: () => undefined };
  // The child writes the file by itself: it never waits for this process to read.
  const fd = openSync(logFile, 'a');
  return { stdio: fd, attach: () => closeSync(fd) };
};

const followLines = (
  child: ChildProcess,
  log: WriteStream | null,
  onLine: NonNullable<ServiceOptions['onLine']>,
): void => {
  for (const stream of ['stdout', 'stderr'] as const) {
    const source = child[stream];
    if (source === null) continue;
    createInterface({ input: source }).on('line', (line) => {
      log?.write(`${line}\n`);
      onLine(line, stream);
    });
  }
  child.once('close', () => log?.end());
};
