import { keepReported, settleAbsent } from '../budget/budget.evolve.js';
import { Defect } from '../defect.js';
import { conclude, note } from './concluded.js';
import type { RunEventData } from './run.events.js';
import { changeAttempt, mustHaveStep, withStep } from './run.parts.js';
import { isAboutStep, type Doubt, type LiveRun, type StepState } from './run.state.js';

export const applyDoubtOpened = (run: LiveRun, data: RunEventData<'DoubtOpened'>, seq: number): LiveRun => {
  let kept = run;
  const next = changeAttempt(run, data.stepId, data.attempt, (known) => {
    const [after, attempt] = keepReported(run, known, data.used);
    kept = after;
    const saidUnknown = data.cause === 'outcome_unknown';
    return { ...attempt, status: 'doubtful', settledAt: data.settledAt, saidUnknown };
  });
  const step = mustHaveStep(next, data.stepId);
  const { settledAt, settleBy, holds, cause, attempt } = data;
  return withStep(
    { ...next, spent: kept.spent },
    {
      ...step,
      deaths: step.deaths + (data.death ? 1 : 0),
      doubt: {
        seq,
        attempt,
        cause,
        // A doubt belongs to the step: what the attempt before it may still do counts as well.
        settledAt: Math.max(settledAt, step.doubt?.settledAt ?? 0),
        settleBy: Math.max(settleBy, step.doubt?.settleBy ?? 0),
        holds: step.doubt?.holds === 'run' ? 'run' : holds,
        probes: 0,
      },
    },
  );
};

export const applyProbe = (run: LiveRun, data: RunEventData<'ProbeRecorded'>): LiveRun => {
  const { step, doubt } = mustBeInDoubt(run, data.stepId, data.doubtSeq);
  return withStep(run, { ...step, doubt: { ...doubt, probes: data.probe } });
};

export const applyDoubtSettled = (run: LiveRun, data: RunEventData<'DoubtSettled'>): LiveRun => {
  const { step, doubt } = mustBeInDoubt(run, data.stepId, data.doubtSeq);
  const settled = step.attempts.filter((attempt) => attempt.status === 'doubtful');
  const open = step.attempts.filter((attempt) => attempt.status !== 'doubtful');
  const escalations = Object.entries(run.escalations).filter(
    ([, known]) => known.stepId !== step.stepId || !isAboutStep(known),
  );
  const next = withStep(
    { ...run, escalations: Object.fromEntries(escalations) },
    {
      ...step,
      doubt: null,
      attempts: data.verdict === 'applied' ? step.attempts : open,
      tries: step.tries + (isTry(data, doubt) ? 1 : 0),
      // A person who says that it may go on is not asked about its deaths once more.
      deaths: data.by === 'person' ? 0 : step.deaths,
    },
  );
  if (data.verdict !== 'absent') return next;
  const numbers = settled.map(({ attempt }) => attempt);
  const entries = numbers.map((attempt) => ({ stepId: step.stepId, attempt, tool: step.tool }));
  const concluded = conclude(settleAbsent(next, settled), step.stepId, numbers, 'absent');
  return { ...concluded, report: note(run.report, 'absent', entries) };
};

/** What the holder itself or the log says to have never begun is no try; a run again after a lost session counts as a death. */
const isTry = ({ verdict, by }: RunEventData<'DoubtSettled'>, { cause }: Doubt): boolean => {
  if (verdict === 'absent') return by !== 'outcome' && by !== 'log';
  return verdict === 'rerun' && (cause === 'outcome_unknown' || cause === 'deadline_passed');
};

const mustBeInDoubt = (
  run: LiveRun,
  stepId: string,
  doubtSeq: number,
): { step: StepState; doubt: NonNullable<StepState['doubt']> } => {
  const step = mustHaveStep(run, stepId);
  if (step.doubt?.seq !== doubtSeq) {
    throw new Defect(`step ${stepId} of run ${run.runId} is not in the doubt ${doubtSeq}`);
  }
  return { step, doubt: step.doubt };
};
