/** Starts processes that end with this one, and ends this one when it should. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root } from './machine.mjs';

const lifeline = join(root, 'tools', 'dev', 'lifeline.sh');
/** A child that was asked to end gets this long; everything must be gone 10 s after Ctrl-C. */
const graceMs = 7_000;
const parentCheckMs = 500;
const running = new Set();
let ending = null;

/**
 * Runs a command in the root folder, with this process' output, through a lifeline.
 *
 * Once this process has been asked to end, nothing more is started. After `msMax` the command is killed;
 * `started` is given a way to do so earlier.
 */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    if (ending !== null) return resolve({ code: null, signal: ending });
    const { stdout = 'inherit', stderr = 'inherit', env = process.env, msMax } = options;
    const child = spawn('/bin/sh', [lifeline, command, ...args], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', stdout, stderr, 'pipe'],
    });
    running.add(child);
    options.started?.(() => killGroup(child));
    const timer = msMax === undefined ? undefined : setTimeout(() => killGroup(child), msMax);
    // The lifeline's watcher was killed: nothing would end the child when this process dies, so it ends now.
    child.stdio[3].resume().on('error', () => undefined);
    child.stdio[3].once('close', () => killGroup(child));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      running.delete(child);
      clearTimeout(timer);
      child.stdio[3].destroy();
      resolve({ code, signal });
    });
  });

/** Whether this process has been asked to end. */
export const interrupted = () => ending !== null;

/** The exit code a shell would show. */
export const exitCodeOf = ({ code, signal }) => code ?? 128 + (constants.signals[signal] ?? 0);

/** Passes Ctrl-C and its like on, and kills what has not ended in time. */
export const endWithSignals = () => {
  process.on('SIGINT', () => end('SIGINT'));
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGHUP', () => end('SIGTERM'));
};

const end = (signal) => {
  ending ??= signal;
  for (const child of running) child.kill(signal);
  setTimeout(() => [...running].forEach(killGroup), graceMs).unref();
};

const killGroup = (child) => {
  if (!running.has(child)) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it has ended and this process has not been told yet
  }
};

/**
 * Ends when npm does. Npm starts this process without a lifeline, perhaps with a shell between, and a killed npm tells
 * nobody; so its pid is looked at. Started by hand, this process may outlive its shell like any other.
 */
export const endWithParent = () => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  // A pid that is still known proves nothing: it may wait to be collected. Whose child the shell is tells at once.
  const shell = isShell(parent) ? parent : null;
  const grandparent = shell === null ? null : parentOf(shell);
  const timer = setInterval(() => {
    const orphaned = process.ppid !== parent || (shell !== null && parentOf(shell) !== grandparent);
    if (!orphaned) return;
    clearInterval(timer);
    end('SIGTERM');
  }, parentCheckMs);
  timer.unref();
};

const isShell = (pid) => /(^|\/)(sh|dash|bash|zsh)$/.test(ask(pid, 'comm'));

const parentOf = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[2]; // after the name in brackets: state, parent
  } catch {
    return ask(pid, 'ppid'); // not Linux
  }
};

const ask = (pid, field) =>
  spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim();
