import { workerData } from 'node:worker_threads';
import { monotonicMs } from '../channel/shared-clock.js';
import { OrphanSigns } from './orphan-signs.js';
import { mustEnd } from './orphan.js';

const LOOK_MS = 1_000;

const { shared, parent } = workerData as { readonly shared: Float64Array; readonly parent: number };
const signs = new OrphanSigns(shared);

let since: number | null = null;

setInterval(() => {
  if (process.ppid === parent) return;
  const now = monotonicMs();
  since ??= now;
  if (mustEnd(signs.of(since), now)) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
