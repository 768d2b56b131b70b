import type { Json } from '@holdfast/programs';
import { agentOf, AgentPlay, answers, calls } from '../../../../test/support/agents.js';
import { asked } from '../../../../test/support/lane-harness.js';
import { heard } from '../../../../test/support/messages.js';
import { catalogueOf, tool } from '../../../../test/support/tools.js';

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** What models write that no run may stand still about. */
describe('an agent whose model writes what cannot be kept', () => {
  it.each([
    ['are nested too deep', nested(20_000), 'nested more than 64 levels deep'],
    ['hold what is no number', '{"a":1e999}', 'a number in it is too large'],
  ])('makes no call whose arguments %s, and says so', (_, written, why) => {
    const play = new AgentPlay({
      model: (_request, turn) => (turn === 0 ? calls(['verifiable', written]) : answers('ok')),
    }).submit(agentOf(['verifiable']));
    expect(play.turns[0]?.calls).toEqual([{ refused: 'malformed_arguments', message: expect.stringContaining(why) }]);
    expect(play.called).toEqual([]);
    expect(play.end?.reason).toBe('succeeded');
  });

  it.each([
    ['is nested too deep', nested(20_000)],
    ['holds what is no number', '{"a":1e999}'],
    ['is fences and nothing but lines', `\`\`\`${'\n'.repeat(100_000)}x`],
  ])('is asked again when its answer %s', (_, written) => {
    const play = new AgentPlay({
      model: (_request, turn) => answers(turn === 0 ? written : '{}'),
    }).submit(agentOf([], { answer: { type: 'object' } }));
    expect(play.turns.map(({ problem }) => problem?.code)).toEqual(['answer_not_json', undefined]);
    expect(play.end).toMatchObject({ reason: 'succeeded', output: {} });
  });

  it('makes no call of which its reply holds the name alone, since it was cut off', () => {
    const play = new AgentPlay({
      model: (_request, turn) =>
        turn === 0 ? { ...calls(['verifiable', ''], ['verifiable', '']), finish: 'length' } : answers('ok'),
    }).submit(agentOf(['verifiable']));
    expect(play.turns[0]?.calls).toEqual([
      { step: 'verifiable-0' },
      { refused: 'malformed_arguments', message: expect.stringContaining('cut off') },
    ]);
  });
});

it('decides about many large replies in parts that each fit a batch', () => {
  const { kind: _, ...agent } = agentOf([]);
  const forEach = Array.from({ length: 8 }, (_none, index) => index);
  const play = new AgentPlay({ model: () => answers('x'.repeat(200_000)) });
  play.lane.submit({ kind: 'plan', steps: [{ id: 'e', forEach, window: 8, steps: [{ id: 'a', agent }] }] });
  play.lane.ask('PauseRun');
  play.go();
  expect(play.turns).toEqual([]);
  play.lane.ask('ResumeRun');
  expect([...play.lane.machine.broken.values()]).toEqual([]);
  expect(play.turns).toHaveLength(8);
  expect(play.end?.reason).toBe('succeeded');
});

describe('the schema of a tool that came from elsewhere', () => {
  const calling = (inputSchema: { readonly [name: string]: Json }, ...written: readonly Json[]) => {
    const play = new AgentPlay({
      model: (_request, turn) =>
        turn === 0 ? calls(...written.map((args) => ['verifiable', args] as const)) : answers('ok'),
    });
    play.lane.catalogue = new Map([...play.lane.catalogue, ...catalogueOf(tool('verifiable', { inputSchema }))]);
    return play.submit(agentOf(['verifiable']));
  };

  it('holds up no lane with a pattern, which its executor judges', () => {
    const properties = { a: { type: 'string', pattern: '^(a+)+$' } };
    const patternProperties = { '^(x+)+$': { type: 'string' } };
    const schema = { type: 'object', properties, patternProperties, additionalProperties: false };
    const play = calling(schema, { a: `${'a'.repeat(60)}!` }, { [`${'x'.repeat(60)}!`]: 1 }, { a: 1 });
    expect(play.turns[0]?.calls).toEqual([
      { step: 'verifiable-0' },
      { step: 'verifiable-1' },
      expect.objectContaining({ refused: 'invalid_arguments' }),
    ]);
  });

  it('may refer to itself', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#' } } };
    const play = calling(schema, { a: { a: {} } }, { a: { a: 1 } });
    expect(play.turns[0]?.calls).toEqual([
      { step: 'verifiable-0' },
      expect.objectContaining({ refused: 'invalid_arguments', message: expect.stringContaining('must be object') }),
    ]);
  });
});

describe('a call of which nobody will find out whether it was made', () => {
  const givenUp = (onDoubt: 'wait' | 'tell') => {
    const play = new AgentPlay({
      model: (_request, turn) => (turn === 0 ? calls(['unprotected', {}]) : answers('ok')),
      call: () => 'unknown',
    }).submit(agentOf(['unprotected'], { onDoubt }));
    play.lane.tick(10_000);
    const question = play.lane.questions()['agent[0].unprotected-0'] ?? 0;
    play.lane.decides(question, 'fail', { note: 'there is no record' });
    return play.go();
  };

  it.each(['wait', 'tell'] as const)('is never told to the model as a failure (%s)', (onDoubt) => {
    const play = givenUp(onDoubt);
    const said = play.requests.at(-1)?.messages.at(-1);
    expect(said?.text).toContain('It is not known whether this call was made, and nobody will find out');
    expect(said?.text).toContain('there is no record');
    expect(said).not.toHaveProperty('failed');
    expect(play.end?.reason).toBe('succeeded');
  });
});

describe('an agent of which much is to be told at once', () => {
  it('hears of all its late calls in the room that there is', () => {
    const wanted = Array.from({ length: 16 }, (_none, i) => ['verifiable', { i }] as const);
    const play = new AgentPlay({
      model: (_request, turn) => (turn === 0 ? calls(...wanted) : answers('ok')),
      call: () => 'unknown',
    }).submit(agentOf(['verifiable'], { onDoubt: 'tell' }));
    play.lane.tick(3_000);
    for (const at of wanted.keys()) {
      const stepId = `agent[0].verifiable-${at}`;
      const found = {
        attemptId: `run-1/${stepId}/0`,
        stepId,
        askedAt: play.lane.clock.now,
        result: '界'.repeat(60_000),
      };
      play.lane.judge(play.lane.doubtSeq(stepId), 'applied', found);
    }
    play.go();
    const told = play.requests.at(-1)?.messages.filter(({ text }) => text.startsWith('About your call')) ?? [];
    expect(told).toHaveLength(16);
    expect(told.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(120_000 / 3);
    expect(play.end?.reason).toBe('succeeded');
  });

  it('is told that its reply was too long, where that could not be kept', () => {
    const play = new AgentPlay({
      model: (_request, turn) => answers(turn === 0 ? 'x'.repeat(300_000) : 'short'),
    }).submit(agentOf([]));
    expect(play.turns.map(({ problem }) => problem?.code)).toEqual(['answer_cut_off', undefined]);
  });
});

it.each([
  ['whole', { $from: 'steps.read' }],
  ['in a text', { $text: 'Sum up: {steps.read}' }],
])('an agent never works on the place of a result that was too large to be kept (%s)', (_, task) => {
  const { kind: _kind, ...agent } = agentOf([], { task });
  const play = new AgentPlay({ model: () => answers('ok'), call: () => ({ result: 'x'.repeat(300_000) }) }).submit({
    kind: 'plan',
    steps: [
      { id: 'read', tool: 'pure@1' },
      { id: 'a', agent },
    ],
  });
  expect(play.requests).toEqual([]);
  expect(play.end?.detail).toContain('steps.read is or holds a result that was too large to be kept');
});

it('a run whose output looks like one that goes on is over, and the same call begins another one', () => {
  const begin = {
    name: 'begin',
    description: 'Begins a run.',
    parameters: { type: 'object' },
    run: { program: { kind: 'plan', steps: [{ id: 'x', tool: 'pure@1' }] } },
  };
  const play = new AgentPlay({
    model: (_request, turn) => (turn < 2 ? calls(['begin', {}]) : answers('ok')),
  }).submit(agentOf([], { tools: [begin] }));
  const [child] = play.lane.live().children;
  const ended = { status: 'ended', reason: 'succeeded', detail: '', output: { runId: 'other', status: 'running' } };
  const { childRunId, ticket } = child ?? { childRunId: '', ticket: '' };
  const report = { requestId: 'r', runId: 'run-1', ticket, childRunId, report: ended };
  play.lane.arrive(asked(heard({ type: 'ReportChild', data: report } as never)));
  play.go();
  expect(play.requests[1]?.messages.at(-1)?.text).toBe('{"runId":"other","status":"running"}');
  expect(play.lane.live().children.map((known) => known.childRunId)).toEqual(['run-1~agent[1].begin-0']);
});
