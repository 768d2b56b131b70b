import { planFork } from '@holdfast/events';
import type { ModelRequest } from '@holdfast/programs';
import { agentOf, AgentPlay, answers, calls } from '../../../../test/support/agents.js';

const { kind: _, ...agent } = agentOf(['verifiable', 'pure']);
const program = {
  kind: 'plan',
  steps: [
    { id: 'research', agent },
    { id: 'file', tool: 'keyed@1', args: { text: { $from: 'steps.research' } } },
  ],
};

/** A run in which the step after the agent fails for good. */
const failed = (
  model = (_request: ModelRequest, turn: number) => (turn === 0 ? calls(['verifiable', {}]) : answers('found')),
) => {
  const play = new AgentPlay({
    model,
    call: ({ stepId }) => (stepId === 'file' ? { failed: 'no room' } : { result: 'x' }),
  });
  return play.submit(program);
};
const plan = (play: AgentPlay, from: string | null, repeat: readonly string[] = []) =>
  planFork(
    play.lane.events().filter(({ subject }) => subject === 'run-1'),
    { from, repeat },
  );

describe('a fork of a run with an agent', () => {
  it('takes over an agent that has answered, whole', () => {
    const { refused, kept, again, progress } = plan(failed(), null);
    expect(refused).toBeNull();
    expect(kept).toEqual(['research', 'research[0].model', 'research[0].verifiable-0', 'research[1].model']);
    expect(again.map(({ stepId }) => stepId)).toEqual(['file']);
    expect(progress.nodes['research']).toEqual({ status: 'succeeded', result: 'found' });
    const next = new AgentPlay({ model: () => answers('never asked') });
    next.submit(program, { fork: { runId: 'run-1', seq: 9, from: null, repeat: [], progress: progress as never } });
    expect(next.requests).toEqual([]);
    expect(next.called.map(({ args }) => args)).toEqual([{ text: 'found' }]);
  });

  it('begins the agent anew where that is asked for, and names the effects that would be made twice', () => {
    const play = failed();
    const { refused, again } = plan(play, 'research');
    expect(refused).toContain('research[0].verifiable-0 (it was done, and is done once more)');
    expect(again.map(({ stepId }) => stepId)).toEqual(
      expect.arrayContaining(['research[0].model', 'research[0].verifiable-0', 'file']),
    );
    expect(plan(play, 'research', ['research[*].verifiable-0']).refused).toBeNull();
  });

  it('cannot begin in the middle of an agent', () => {
    expect(plan(failed(), 'research[0].verifiable-0').refused).toContain('is a step of the agent research');
  });
});
