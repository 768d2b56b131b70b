import { isStopping, jsonBytes, runEvent, type LiveRun, type RunEventData } from '@holdfast/events';
import { agentsReplied, judgeReply, type Json, type TurnDecision } from '@holdfast/programs';
import { STEP_BYTES } from './ask.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Budget } from './place.js';

/**
 * Decides what follows from the replies of agents' models: which calls are made and which are answered with an error,
 * whether an answer counts, and when an agent has failed. Nothing follows while the run is paused or comes to its end.
 */
export const takeTurns = (draft: RunDraft, budget: Budget): void => {
  for (let next = repliedIn(liveRun(draft)); next !== undefined; next = repliedIn(liveRun(draft))) {
    if (budget.steps <= 0) return void (budget.more = true);
    budget.steps -= takeTurn(draft, next);
  }
};

/** Answers how many scheduled steps the turn weighs. */
const takeTurn = (draft: RunDraft, { path: stepId, agent, progress, reply }: Replied): number => {
  const { turns, leftOut, summary, turn } = progress;
  const context = { turns: turns.length, leftOut, summed: summary !== null };
  const taken = { stepId, turn, ...told(judgeReply(agent, progress, reply)), context, usage: reply.usage };
  record(draft, runEvent('TurnTaken', taken));
  return 1 + Math.floor(jsonBytes(taken as unknown as Json) / STEP_BYTES);
};

type Replied = ReturnType<typeof agentsReplied>[number];

const repliedIn = (run: LiveRun | undefined) =>
  run === undefined || isStopping(run) || run.paused !== null
    ? undefined
    : agentsReplied(run.program, run.input, run.progress)[0];

type Told = Pick<RunEventData<'TurnTaken'>, 'did' | 'calls' | 'answer' | 'problem'>;

const told = (decision: TurnDecision): Told => {
  switch (decision.did) {
    case 'called':
      return { did: 'called', calls: decision.calls.map((call) => ({ ...call })) };
    case 'answered':
      return { did: 'answered', ...(decision.answer === undefined ? {} : { answer: decision.answer }) };
    default:
      return { did: decision.did, problem: { ...decision.problem } };
  }
};
