import { DEFAULTS, waitsFor, type Escalation, type LiveRun, type RunState, type StepState } from '@holdfast/events';
import Table from 'cli-table3';
import { describeWait, limitsWords, reasonWords } from '@holdfast/words';

/** The state of a run for people. */
export const describeState = (run: RunState, now: number): string => {
  if (run.status === 'ended') return `State: ended, ${reasonWords(run.end.reason)}. Nothing is open or in doubt.`;
  const { report } = run;
  const lines = [
    `State: ${run.status}${run.paused === null ? '' : ', paused'}${run.end === null ? '' : ` (${reasonWords(run.end.reason)})`}.`,
    `Steps: ${report.stepsSucceeded} succeeded, ${report.stepsFailed} failed, ${run.steps.length} open. Effects applied: ${report.applied}.`,
  ];
  return [...lines, ...budgetLines(run), ...stepTable(run), ...waitLines(run, now), ...escalationLines(run)].join('\n');
};

const budgetLines = (run: LiveRun): readonly string[] => {
  const words = limitsWords(run);
  const { stop } = run.budget;
  return [
    ...(words.length === 0 ? [] : [`Budget: ${words.join(', ')}.`]),
    ...(stop === null ? [] : [`Stopped: ${stop.detail}.`]),
  ];
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

const WAITS_MAX = 10;

const waitLines = (run: LiveRun, now: number): readonly string[] => {
  const waits = waitsFor(run, { now, graceMs: DEFAULTS.graceMs, skewMs: DEFAULTS.skewMs });
  const more = waits.length - WAITS_MAX;
  const named = waits.slice(0, WAITS_MAX).map((wait) => `Waits: ${describeWait(wait)}.`);
  return [...named, ...(more > 0 ? [`… and ${more} more`] : [])];
};

const escalationLines = (run: LiveRun): readonly string[] =>
  Object.values(run.escalations).map((open) => `Asked: ${describeEscalation(open)}`);

/** A question to a person, with how to answer it. */
export const describeEscalation = (open: Escalation): string => {
  const until = open.expired ? 'expired, still answerable' : `until ${new Date(open.expiresAt).toISOString()}`;
  return `#${open.seq} ${open.kind} at ${open.stepId} (attempt ${open.attempt}), ${until}: ${open.question} [${open.choices.join(' | ')}]`;
};
