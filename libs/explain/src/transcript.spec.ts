import { agentOf, AgentPlay, answers, calls } from '../../../test/support/agents.js';
import { transcriptOf } from './transcript.js';

const replies = () => [
  calls(['verifiable', { a: 1 }], ['nobody', {}], ['pure', {}]),
  answers('not JSON'),
  answers('{"n":1}'),
];
const answer = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

const play = (verifiable: 'unknown' | 'open' | { readonly result: string }): AgentPlay => {
  const said = replies();
  return new AgentPlay({
    model: () => said.shift() ?? answers('{"n":2}'),
    call: ({ tool }) => (tool === 'verifiable@1' ? verifiable : { failed: 'no such page' }),
  }).submit(agentOf(['verifiable', 'pure'], { answer }));
};

describe('the transcript of a run', () => {
  it('has every turn with what was said, called and answered', () => {
    const transcript = transcriptOf(play({ result: 'paid' }).lane.events());
    expect(transcript.map(({ turn, did, text }) => [turn, did, text])).toEqual([
      [0, 'called', ''],
      [1, 'repaired', 'not JSON'],
      [2, 'answered', '{"n":1}'],
    ]);
    expect(transcript[0]?.calls).toEqual([
      { name: 'verifiable', arguments: '{"a":1}', stepId: 'agent[0].verifiable-0', became: 'succeeded', said: 'paid' },
      {
        name: 'nobody',
        arguments: '{}',
        stepId: null,
        became: 'refused',
        said: expect.stringContaining('There is no tool'),
      },
      { name: 'pure', arguments: '{}', stepId: 'agent[0].pure-2', became: 'failed', said: 'no such page (refused)' },
    ]);
    expect(transcript[1]?.problem).toBe('Your answer is not JSON. It must be JSON and nothing else. (answer_not_json)');
    expect(transcript[2]?.answer).toEqual({ n: 1 });
  });

  it.each(['unknown', 'open'] as const)('says what is not known yet: %s', (fate) => {
    const [turn] = transcriptOf(play(fate).lane.events());
    expect(turn?.calls[0]).toMatchObject({ became: fate === 'unknown' ? 'in_doubt' : 'open', said: null });
  });

  it('is empty where a run has no agent', () => {
    const lane = new AgentPlay({ model: () => answers('') }).submit({
      kind: 'plan',
      steps: [{ id: 'a', tool: 'pure@1' }],
    });
    expect(transcriptOf(lane.lane.events())).toEqual([]);
  });
});
