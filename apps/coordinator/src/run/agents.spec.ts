import type { ModelRequest } from '@holdfast/programs';
import { agentOf, AgentPlay, answers, calls, unpaired } from '../../../../test/support/agents.js';

const last = ({ messages }: ModelRequest) => messages.at(-1);

describe('an agent', () => {
  it('calls tools until it answers, and the answer is the output of the run', () => {
    const play = new AgentPlay({
      model: (_, turn) => (turn === 0 ? calls(['verifiable', { a: 1 }], ['pure', {}]) : answers('It is done.')),
      call: ({ tool }) => ({ result: `by ${tool}` }),
    }).submit(agentOf(['verifiable', 'pure']));
    expect(play.end).toMatchObject({ reason: 'succeeded', output: 'It is done.' });
    expect(play.called.map(({ stepId, args }) => [stepId, args])).toEqual([
      ['agent[0].verifiable-0', { a: 1 }],
      ['agent[0].pure-1', {}],
    ]);
    expect(play.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Do it.' },
      expect.objectContaining({ role: 'assistant', calls: [expect.anything(), expect.anything()] }),
      { role: 'tool', callId: 'call_0', name: 'verifiable', text: 'by verifiable@1' },
      { role: 'tool', callId: 'call_1', name: 'pure', text: 'by pure@1' },
    ]);
    expect(play.turns.map(({ did }) => did)).toEqual(['called', 'answered']);
  });

  it('shows its model the tools as the catalogue has them', () => {
    const play = new AgentPlay({ model: () => answers('ok') }).submit(
      agentOf([], { tools: [{ tool: 'keyed@1', name: 'pay', description: 'Pays.', parameters: { nonsense: true } }] }),
    );
    expect(play.requests[0]?.tools).toEqual([{ name: 'pay', description: 'Pays.', parameters: { type: 'object' } }]);
  });

  it('is told what was wrong with a call, and the others are made', () => {
    const play = new AgentPlay({
      model: (request, turn) =>
        turn === 0
          ? calls(['nobody', {}], ['pure', '{"cut": '], ['pure', '[]'], ['pure', { fine: true }])
          : (expect(unpaired(request)).toEqual([]), answers('ok')),
    }).submit(agentOf(['pure']));
    expect(play.turns[0]?.calls).toEqual([
      { refused: 'unknown_tool', message: 'There is no tool nobody. The tools are: pure.' },
      { refused: 'malformed_arguments', message: expect.stringContaining('the arguments are not JSON: {"cut": ') },
      { refused: 'malformed_arguments', message: expect.stringContaining('must be a JSON object') },
      { step: 'pure-3' },
    ]);
    expect(play.called).toHaveLength(1);
    expect(play.end?.reason).toBe('succeeded');
  });

  it('fails after so many mistakes in a row, and says the last one', () => {
    const play = new AgentPlay({ model: () => calls(['nobody', {}]) }).submit(agentOf(['pure'], { repairsMax: 2 }));
    expect(play.requests).toHaveLength(3);
    expect(play.end).toMatchObject({ reason: 'failed' });
    expect(play.end?.detail).toContain('3 mistakes in a row, the last one: There is no tool nobody');
  });

  it('is asked again when its answer does not fit, and fails when it never does', () => {
    const answer = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
    const good = new AgentPlay({
      model: (_, turn) =>
        [answers('seven'), answers('{"n":"7"}'), answers('```json\n{"n":7}\n```')][turn] ?? answers(''),
    }).submit(agentOf([], { answer }));
    expect(good.turns.map(({ problem }) => problem?.code)).toEqual(['answer_not_json', 'answer_wrong', undefined]);
    expect(good.end).toMatchObject({ reason: 'succeeded', output: { n: 7 } });
    const bad = new AgentPlay({ model: () => answers('seven') }).submit(agentOf([], { answer, repairsMax: 1 }));
    expect(bad.end).toMatchObject({ reason: 'failed', detail: expect.stringContaining('repairs_exhausted') });
  });

  it.each([
    ['refusal', 'model_refused'],
    ['filtered', 'model_filtered'],
  ] as const)('fails when its model ends with %s', (finish, code) => {
    const play = new AgentPlay({ model: () => answers('I will not.', { finish }) }).submit(agentOf([]));
    expect(play.end).toMatchObject({ reason: 'failed', detail: expect.stringContaining(code) });
  });

  it('ends after so many turns without making calls that nobody would look at', () => {
    const play = new AgentPlay({ model: (_, turn) => calls(['verifiable', { turn }]) }).submit(
      agentOf(['verifiable'], { turnsMax: 3 }),
    );
    expect(play.requests).toHaveLength(3);
    expect(play.called).toHaveLength(2);
    expect(play.end?.detail).toContain('turns 3/3');
  });

  it('hears of a failed call, and goes on', () => {
    const play = new AgentPlay({
      model: (_, turn) => (turn === 0 ? calls(['verifiable', {}]) : answers('noted')),
      call: () => ({ failed: 'no such account' }),
    }).submit(agentOf(['verifiable']));
    expect(last(play.requests[1] as ModelRequest)).toMatchObject({ failed: true, text: 'no such account (refused)' });
    expect(play.end?.reason).toBe('succeeded');
  });

  it('fails with its model', () => {
    const play = new AgentPlay({ model: () => ({ failed: 'the key is wrong' }) }).submit(agentOf([]));
    expect(play.end).toMatchObject({ reason: 'failed', detail: expect.stringContaining('the key is wrong') });
  });

  it('makes nothing of a reply once its run is cancelled', () => {
    const play = new AgentPlay({ model: () => 'open' }).submit(agentOf(['verifiable']));
    play.lane.cancel();
    play.play(
      { attemptId: 'run-1/agent[0].model/0', stepId: 'agent[0].model' },
      { result: calls(['verifiable', {}]) as never },
    );
    expect(play.turns).toEqual([]);
    expect(play.called).toEqual([]);
    play.lane.tick(60_000);
    expect(play.end?.reason).toBe('cancelled');
  });

  it('may be one step of a plan, and one for each of many items', () => {
    const { kind: _, ...agent } = agentOf(['pure'], { task: { $text: 'Read {item}' } });
    const play = new AgentPlay({
      model: ({ messages }) => (messages.length === 1 ? calls(['pure', {}]) : answers(`did ${messages[0]?.text}`)),
    }).submit({
      kind: 'plan',
      steps: [
        {
          id: 'doc',
          forEach: ['a', 'b'],
          steps: [
            { id: 'read', agent },
            { id: 'note', tool: 'verifiable@1', args: { text: { $from: 'steps.read' } } },
          ],
        },
      ],
    });
    expect(play.end?.reason).toBe('succeeded');
    expect(play.called.flatMap(({ stepId, args }) => (stepId.endsWith('note') ? [args] : []))).toEqual([
      { text: 'did Read a' },
      { text: 'did Read b' },
    ]);
  });
});

describe('the context of an agent', () => {
  const long = (turn: number) => `${turn} `.repeat(400);
  const busy = (turns: number) => ({
    model: (request: ModelRequest, turn: number) => {
      expect(unpaired(request)).toEqual([]);
      return turn < turns ? calls(['pure', { turn }]) : answers('ok');
    },
    call: ({ args }: { args: unknown }) => ({ result: long((args as { turn: number }).turn) }),
  });

  it('is a window: whole turns are left out, the oldest first, and the model is told so', () => {
    const play = new AgentPlay(busy(8)).submit(agentOf(['pure'], { context: { charactersMax: 3_000 } }));
    const sent = play.requests.at(-1)?.messages ?? [];
    expect(sent[0]?.text).toContain('5 earlier turns are left out here');
    expect(sent.filter(({ role }) => role === 'tool').map(({ text }) => text.slice(0, 1))).toEqual(['5', '6', '7']);
    expect(play.turns.at(-1)?.context).toEqual({ turns: 3, leftOut: 5, summed: false });
    expect(play.end?.reason).toBe('succeeded');
  });

  it('is summed up by a step of its own where the agent says so', () => {
    const script = busy(8);
    const play = new AgentPlay({
      ...script,
      model: (request) => {
        return request.tools.length === 0 ? answers('SUMMARY') : script.model(request, play.turns.length);
      },
    });
    play.submit(agentOf(['pure'], { context: { policy: 'summarise', charactersMax: 3_000, model: 'other@1' } }));
    const summaries = play.orders.filter(({ stepId }) => stepId.endsWith('.summary'));
    expect(summaries.length).toBeGreaterThan(0);
    expect(new Set(summaries.map(({ tool }) => tool))).toEqual(new Set(['other@1']));
    expect(play.requests.at(-1)?.messages[0]?.text).toContain('SUMMARY');
    expect(play.turns.at(-1)?.context).toMatchObject({ summed: true });
    expect(play.end?.reason).toBe('succeeded');
  });

  it('falls back to a window when nobody can sum it up', () => {
    const script = busy(8);
    const play = new AgentPlay({
      ...script,
      model: (request) => (request.tools.length === 0 ? { failed: 'away' } : script.model(request, play.turns.length)),
    });
    play.submit(agentOf(['pure'], { context: { policy: 'summarise', charactersMax: 3_000 } }));
    expect(play.end?.reason).toBe('succeeded');
    expect(play.turns.at(-1)?.context).toMatchObject({ summed: false });
    expect(play.turns.at(-1)?.context.leftOut).toBeGreaterThan(0);
  });

  it('shows the beginning of a long result, and how much is missing', () => {
    const play = new AgentPlay({
      model: (_, turn) => (turn === 0 ? calls(['pure', {}]) : answers('ok')),
      call: () => ({ result: 'x'.repeat(5_000) }),
    }).submit(agentOf(['pure'], { context: { resultCharactersMax: 1_000 } }));
    expect(play.requests[1]?.messages.at(-1)?.text).toMatch(
      /^x{1000}\n\[… 4000 of 5000 characters are left out here\]$/,
    );
  });

  it('shrinks where the model counts too many tokens', () => {
    const play = new AgentPlay(busy(6)).submit(agentOf(['pure'], { context: { tokensMax: 100 } }));
    // Each request takes 110 tokens of the 100 that are allowed.
    expect(play.turns.at(-1)?.context.leftOut).toBeGreaterThan(0);
    expect(play.end?.reason).toBe('succeeded');
  });
});
