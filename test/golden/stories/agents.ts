import { agentOf, AgentPlay, answers, calls } from '../../support/agents.js';
import type { FakeHistory } from '../../support/fake-history.js';

/**
 * One agent that makes every kind of mistake, is told of a call in doubt and of a repeat that is not made, answers too
 * early and sums up, until it answers; and one that fails.
 */
export const tellAgents = (): FakeHistory => {
  const replies = [
    calls(['nobody', {}], ['pure', '{"cut": ']),
    calls(['verifiable', { amount: 1 }], ['pure', { page: 1 }]),
    calls(['verifiable', { amount: 1 }]),
    calls(['pure', { page: 2 }]),
    calls(['pure', { page: 3 }]),
    answers('early'),
    answers('not JSON'),
    answers('{"total":1}'),
  ];
  const play = new AgentPlay({
    model: (request) =>
      request.tools.length === 0 ? answers('so far') : (replies.shift() ?? answers('', { finish: 'refusal' })),
    call: ({ tool }) => (tool === 'verifiable@1' ? 'unknown' : { result: 'x'.repeat(1_500) }),
  });
  play.submit(
    agentOf(['verifiable', 'pure'], {
      onDoubt: 'tell',
      hold: 'step',
      answer: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] },
      context: { policy: 'summarise', charactersMax: 2_000, keepTurns: 1 },
    }),
    { runId: 'mistaken' },
  );
  const doubtful = 'agent[1].verifiable-0';
  const seq = play.lane.live('mistaken').steps.find(({ stepId }) => stepId === doubtful)?.doubt?.seq ?? 0;
  play.lane.tick(3_000).judge(seq, 'applied', { runId: 'mistaken', stepId: doubtful, result: 'paid' });
  play.go().submit(agentOf(['pure']), { runId: 'refusing' });
  return play.lane.history;
};
