import type { Escalation, LiveRun, RunState, StepState } from '@holdfast/events';
import Table from 'cli-table3';
import { reasonWords } from './words/describe.js';

/** The state of a run for people. */
export const describeState = (run: RunState): string => {
  if (run.status === 'ended') return `State: ended, ${reasonWords(run.end.reason)}. Nothing is open or in doubt.`;
  const { report } = run;
  const waits = [...keyWaited(run), ...childrenWaited(run), ...(run.waiting === null ? [] : [run.waiting.waitingFor])];
  const lines = [
    `State: ${run.status}${run.end === null ? '' : ` (${reasonWords(run.end.reason)})`}${waits.length === 0 ? '' : `, waits for ${waits.join('; ')}`}.`,
    `Steps: ${report.stepsSucceeded} succeeded, ${report.stepsFailed} failed, ${run.steps.length} open. Effects applied: ${report.applied}.`,
  ];
  return [...lines, ...stepTable(run), ...escalationLines(run)].join('\n');
};

const keyWaited = ({ concurrency: own }: LiveRun): readonly string[] => {
  if (own?.status === 'asked') return [`the key ${own.key}`];
  return own?.status === 'waiting' ? [`the key ${own.key}, held by run ${own.holder} (number ${own.place})`] : [];
};

const childrenWaited = ({ children }: LiveRun): readonly string[] => {
  if (children.length === 0) return [];
  const named = children.slice(0, 3).map(({ childRunId }) => childRunId);
  return [`${children.length === 1 ? 'run' : 'runs'} ${named.join(', ')}${children.length > 3 ? ', …' : ''}`];
};

const OPEN_MAX = 50;

const stepTable = (run: LiveRun): readonly string[] => {
  const steps = run.steps;
  if (steps.length === 0) return [];
  const table = new Table({ head: ['step', 'tool', 'policy', 'attempt', 'status'], style: { head: [], border: [] } });
  for (const step of steps.slice(0, OPEN_MAX))
    table.push([step.stepId, step.tool, step.policy, attempts(step), status(step)]);
  const more = steps.length - OPEN_MAX;
  return [table.toString(), ...(more > 0 ? [`… and ${more} more open steps`] : [])];
};

const attempts = (step: StepState): string => step.attempts.map(({ attempt }) => attempt).join(', ') || '–';

const status = (step: StepState): string => {
  if (step.doubt !== null) return `in doubt since seq ${step.doubt.seq}, asked ${step.doubt.probes} times in vain`;
  if (step.attempts.some((attempt) => attempt.status === 'held')) return 'held';
  return step.attempts.length > 0 ? 'scheduled' : 'waiting';
};

const escalationLines = (run: LiveRun): readonly string[] =>
  Object.values(run.escalations).map((open) => `Asked: ${describeEscalation(open)}`);

/** A question to a person, with how to answer it. */
export const describeEscalation = (open: Escalation): string => {
  const until = open.expired ? 'expired, still answerable' : `until ${new Date(open.expiresAt).toISOString()}`;
  return `#${open.seq} ${open.kind} at ${open.stepId} (attempt ${open.attempt}), ${until}: ${open.question} [${open.choices.join(' | ')}]`;
};
