import { doubted, runOver, turned, type Json, type TurnDecision } from '@holdfast/programs';
import { Defect } from '../defect.js';
import { hasEffect } from '../policy.js';
import { mustHaveStep } from './run.parts.js';
import type { RunEventData } from './run.events.js';
import type { LiveRun } from './run.state.js';
import { noteFailure } from './settling.js';

/** What follows from a model's reply is decided: calls become ready, or the agent is done, or its model is asked again. */
export const applyTurnTaken = (run: LiveRun, data: RunEventData<'TurnTaken'>): LiveRun => {
  const { stepId, problem } = data;
  if (run.end !== null) return run;
  const progress = turned(run.program, run.input, run.progress, stepId, decisionOf(data));
  const next = { ...run, progress };
  return data.did === 'failed' && problem !== undefined ? noteFailure(next, { stepId, ...problem }) : next;
};

const decisionOf = ({ did, calls = [], answer, problem, stepId, turn }: RunEventData<'TurnTaken'>): TurnDecision => {
  if (did === 'called') return { did, calls };
  if (did === 'answered') return { did, ...(answer === undefined ? {} : { answer: answer as Json }) };
  if (problem === undefined) throw new Defect(`turn ${turn} of ${stepId} is ${did} without a word why`);
  return { did, problem };
};

/** A model may be told that a call is in doubt; of what is run again at once it hears nothing. */
export const tellOfDoubt = (run: LiveRun, stepId: string): LiveRun =>
  run.end === null && hasEffect(mustHaveStep(run, stepId).policy)
    ? { ...run, progress: doubted(run.program, run.input, run.progress, stepId) }
    : run;

/** A model is told how a run has ended that it did not wait for. */
export const tellOfRun = (
  run: LiveRun,
  { childRunId, reason, detail, output }: RunEventData<'ChildEnded'>,
): LiveRun => {
  const said = reason === 'succeeded' ? `succeeded. Output: ${JSON.stringify(output ?? null)}` : `${reason}: ${detail}`;
  return { ...run, progress: runOver(run.program, run.input, run.progress, childRunId, said) };
};
