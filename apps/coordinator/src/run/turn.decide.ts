import { isStopping, runEvent, type LiveRun, type RunEventData } from '@holdfast/events';
import { agentsReplied, judgeReply, type TurnDecision } from '@holdfast/programs';
import { liveRun, record, type RunDraft } from './draft.js';

/**
 * Decides what follows from the replies of agents' models: which calls are made and which are answered with an error,
 * whether an answer counts, and when an agent has failed. Nothing follows while the run is paused or comes to its end.
 */
export const takeTurns = (draft: RunDraft): void => {
  for (let next = repliedIn(liveRun(draft)); next !== undefined; next = repliedIn(liveRun(draft))) {
    const { path: stepId, agent, progress, reply } = next;
    const { turns, leftOut, summary, turn } = progress;
    const context = { turns: turns.length, leftOut, summed: summary !== null };
    const decision = judgeReply(agent, progress, reply);
    record(draft, runEvent('TurnTaken', { stepId, turn, ...told(decision), context, usage: reply.usage }));
  }
};

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
