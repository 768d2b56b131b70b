import { workerData } from 'node:worker_threads';

const LOOK_MS = 1_000;
const SILENT_MS = 5_000;

const { shared, parent, lastSeen, callsUntil } = workerData as {
  readonly shared: Float64Array;
  readonly parent: number;
  readonly lastSeen: number;
  readonly callsUntil: number;
};

setInterval(() => {
  if (process.ppid === parent) return;
  const now = Date.now();
  if (now - (shared[lastSeen] ?? 0) < SILENT_MS || now < (shared[callsUntil] ?? 0)) return;
  process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
