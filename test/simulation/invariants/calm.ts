import type { RunEvent } from '@holdfast/events';
import type { Plan, PlanNode } from '@holdfast/programs';
import type { Scenario } from '../scenario/scenario.js';
import { TIMES } from '../world/processes.js';
import type { Violated } from './invariant.js';

/** Whether the slots of one worker are enough for all calls to begin in time, each as long as it may be. */
export const slotsSuffice = ({ runs, concurrency, timeoutMs, slowCalls }: Scenario): boolean => {
  const calls = runs.flatMap(({ program }) => program.steps).reduce((sum, node) => sum + callsOf(node), 0);
  const before = Math.floor((calls - 1) / concurrency);
  return slowCalls === 0 || before * (timeoutMs + TIMES.graceMs) + NEWS_MS < TIMES.startByMs;
};

/** How long it takes at most in calm until a command is read and a result is known, ms. */
const NEWS_MS = 1_000;

const callsOf = (node: PlanNode): number => {
  if ('run' in node) return (node.run.program as Plan).steps.reduce((sum, inner) => sum + callsOf(inner), 0);
  if (!('forEach' in node)) return 1;
  const items = Array.isArray(node.forEach) ? node.forEach.length : 1;
  return items * node.steps.reduce((sum, inner) => sum + callsOf(inner), 0);
};

/** Where nothing goes wrong but that answers are lost, and slots suffice, every attempt is taken in time. */
export const inCalm = (runId: string, { type, data }: RunEvent, violated: Violated): void => {
  if (type === 'AttemptClosed' && data.cause === 'start_by')
    violated('calmAttemptsAreTaken', `${runId}/${data.stepId} was closed at its startBy`);
};

/** Where nothing happens but that workers die, the next worker runs unfinished `pure` commands at once. */
export const whereOnlyWorkersDie = (runId: string, { type, data }: RunEvent, violated: Violated): void => {
  if (type === 'StepScheduled' && data.policy === 'pure' && data.attempt > 0)
    violated('pureNeedsNoBackstop', `${runId}/${data.stepId} was left until its time was over`);
};
