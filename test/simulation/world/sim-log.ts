import { createMemoryLog, type Fate, type MemoryCluster, type MemoryLog, type Pace } from '@holdfast/log';
import type { SimProcess } from '../engine/process.js';
import type { Schedule } from '../engine/schedule.js';
import { shortOf, type Faults } from './faults.js';

export type SimLogParts = {
  readonly cluster: MemoryCluster;
  readonly schedule: Schedule;
  readonly faults: Faults;
  /** How long something takes that passes a gate of the process, ms. */
  readonly latency: (process: SimProcess, gate: string) => number;
  readonly lost: (process: SimProcess, topic: string, fate: Fate) => void;
};

/** How long an append is waited for that is not answered, ms. */
const UNANSWERED_MS = 700;
const POLL_MS = 500;

/**
 * The log as one process life sees it: every request, answer and delivery takes its own time, and the process may be
 * stopped before each. What has left a process arrives although it is dead.
 */
export const simLog = (process: SimProcess, parts: SimLogParts): MemoryLog => {
  const { cluster, schedule, faults, lost } = parts;
  const { name } = process;
  let unanswered = false;
  const latency = (gate: string): number => parts.latency(process, gate);
  const pace: Pace = (stage, { topic }) =>
    new Promise((resolve) => {
      const gate = `${stage} ${shortOf(topic)}`;
      if (stage === 'send') return process.leave(gate, () => schedule.after(latency(gate), resolve));
      const late = stage === 'answer' && unanswered ? UNANSWERED_MS : 0;
      if (stage === 'answer') unanswered = false;
      process.after(late + latency(gate), gate, resolve);
    });
  const fate = ({ topic }: { readonly topic: string }): Fate => {
    const loss = faults.lossOf(name, shortOf(topic));
    if (loss === undefined) return 'through';
    unanswered = true;
    lost(process, topic, loss.fate);
    if (loss.fate === 'held') arriveLater(log, schedule, loss.ms);
    return loss.fate;
  };
  const log = createMemoryLog(cluster, {
    timer: (ms, callback) => process.timer.after(ms, callback),
    pollMs: POLL_MS,
    fate,
    pace,
  });
  return log;
};

/** What was held arrives long after its process was told that nobody knows; sometimes twice. */
const arriveLater = (log: MemoryLog, schedule: Schedule, ms: number): void =>
  schedule.after(ms, () => {
    const [held] = log.faults.held.splice(0, 1);
    if (held === undefined) return;
    held.arrive();
    if (ms % 2 === 0) schedule.after(ms, () => held.arrive());
  });
