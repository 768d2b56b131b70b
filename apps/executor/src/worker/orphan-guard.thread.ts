import { workerData } from 'node:worker_threads';
import { mustEnd } from './orphan.js';

const LOOK_MS = 1_000;

const { shared, parent, lastSeen, callsUntil } = workerData as {
  readonly shared: Float64Array;
  readonly parent: number;
  readonly lastSeen: number;
  readonly callsUntil: number;
};

let since: number | null = null;

setInterval(() => {
  if (process.ppid === parent) return;
  const now = Date.now();
  since ??= now;
  const orphan = { since, lastSeen: shared[lastSeen] ?? 0, callsUntil: shared[callsUntil] ?? 0 };
  if (mustEnd(orphan, now)) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
