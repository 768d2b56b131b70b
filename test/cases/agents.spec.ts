import type { Json, ModelRequest } from '@holdfast/programs';
import { agentOf, AgentPlay, answers, calls, modelEntry, unpaired, type Played } from '../support/agents.js';
import { planOf, step } from '../support/plans.js';
import { SeveralLanes } from '../support/several-lanes.js';
import { allTools, catalogueOf } from '../support/tools.js';

const texts = ({ messages }: ModelRequest) =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
const told = (play: AgentPlay) =>
  play.turns.map(({ did, calls: made = [] }) =>
    [did, ...made.map((call) => ('step' in call ? call.step : call.refused))].join(' '),
  );

describe('case 1: the whole agent turn is one step, and it cannot finish inside the time limit', () => {
  /** Forty calls, one after the other; the 37th sends the report. */
  const tool = (call: number) => (call === 37 ? 'unprotected' : 'repeatable');
  const begun = (stuck: number) => {
    const play = new AgentPlay({
      model: (_, turn) => (turn < 40 ? calls([tool(turn + 1), { call: turn + 1 }]) : answers('sent')),
      call: ({ args }) => ((args as { call: number }).call === stuck ? 'open' : { result: args }),
    });
    return play.submit(agentOf(['unprotected', 'repeatable'], { turnsMax: 100 }));
  };

  it('never: each call is a step, so that a kill after call 37 repeats neither it nor what came before', () => {
    const play = begun(39);
    const before = play.requests.length;
    for (const attempt of [0, 1]) {
      play.dies();
      expect(play.orders.at(-1)?.attemptId).toBe(`run-1/agent[38].repeatable-0/${attempt + 1}`);
      play.go();
    }
    expect(play.requests).toHaveLength(before);
    expect(play.called.filter(({ tool: ref }) => ref === 'unprotected@1')).toHaveLength(1);
    play.play(play.orders.at(-1) as never, { result: 'late' }).go();
    expect(play.end).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    expect(play.requests).toHaveLength(41);
  });

  it('and a call that ends its worker each time is put before a person, not begun a fourth time', () => {
    const play = begun(39);
    for (let death = 0; death < 3; death += 1) {
      play.dies();
      play.go();
    }
    expect(play.orders.filter(({ stepId }) => stepId === 'agent[38].repeatable-0')).toHaveLength(3);
    const asked = play.lane.events().find(({ event }) => event.type === 'EscalationOpened')?.event.data;
    expect(asked).toMatchObject({ kind: 'quarantine', stepId: 'agent[38].repeatable-0' });
  });
});

describe('a model in case 7: the tool succeeded after the client stopped waiting', () => {
  it('never reads a time-out as a failure: the model is answered with what a look found, and cannot book twice', () => {
    const booking = { slot: '0900' };
    const play = new AgentPlay({
      model: (request) => (texts(request).length === 0 ? calls(['verifiable', booking]) : answers('booked')),
      call: () => 'unknown',
    }).submit(agentOf(['verifiable']));
    expect(play.requests).toHaveLength(1);
    play.lane.tick(3_000).judge(play.lane.doubtSeq('agent[0].verifiable-0'), 'applied', {
      stepId: 'agent[0].verifiable-0',
      result: 'slot-0900',
    });
    play.go();
    expect(texts(play.requests[1] as ModelRequest)).toEqual(['slot-0900']);
    expect(play.called).toHaveLength(1);
    expect(play.end).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
  });
});

describe('case 8: the answer looks like an error, so the model presses Save again', () => {
  const record = { customer: 'C-77', total: '19.90' };
  const model = (request: ModelRequest, turn: number) => {
    expect(unpaired(request)).toEqual([]);
    // Another order of keys, and another id each time, is the same call all the same.
    if (turn < 4) return calls(['unprotected', turn % 2 === 0 ? record : { total: '19.90', customer: 'C-77' }]);
    return answers(request.messages.findLast(({ role }) => role === 'user')?.text ?? '');
  };

  it('is kept from repeating what may have acted, and is told what was found', () => {
    const play = new AgentPlay({ model, call: () => 'unknown' }).submit(agentOf(['unprotected'], { onDoubt: 'tell' }));
    expect(told(play)).toEqual(
      ['called unprotected-0', ...Array.from({ length: 3 }, () => 'called repeat_in_doubt'), 'answered '].map((text) =>
        text.trim(),
      ),
    );
    expect(play.called).toHaveLength(1);
    expect(play.end).toBeUndefined();
    play.lane.tick(3_000);
    const question = Object.values(play.lane.questions())[0] ?? 0;
    play.lane.decides(question, 'applied', { proof: { seen: 'C-77' }, result: 'saved' });
    play.go();
    expect(play.end?.output).toMatch(/^About your call unprotected \(call_0\).*it was made\. Result: saved/);
    expect(play.end).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    expect(play.called).toHaveLength(1);
  });

  it('waits for the answer where the agent says nothing else: the model is never in the dark', () => {
    const play = new AgentPlay({ model, call: () => 'unknown' }).submit(agentOf(['unprotected']));
    expect(play.requests).toHaveLength(1);
    expect(play.lane.live().steps.map(({ stepId }) => stepId)).toEqual(['agent[0].unprotected-0']);
  });
});

describe('a model in case 9: waiting for a sub-agent times out, so a second one is started', () => {
  it('never: the wait ends with the word that the run goes on, and the same call means the same run', () => {
    const lanes = new SeveralLanes(3, {}, new Map([...allTools, ...catalogueOf(modelEntry())]));
    const inner = planOf(step('x', 'verifiable')) as unknown as Json;
    const research = {
      name: 'research',
      description: 'Looks into something.',
      parameters: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
      run: { program: inner, waitMs: 30_000 },
    };
    lanes.submit(agentOf([], { tools: [research] }), { runId: 'p' }).calm();
    const says = (reply: unknown) => lanes.work('p', reply).calm();
    says(calls(['research', { topic: 'a' }]));
    lanes.tick(31_000).calm();
    expect(lanes.live('p')?.children).toMatchObject([{ status: 'running', waiting: [] }]);
    says(calls(['research', { topic: 'a' }]));
    expect(lanes.live('p')?.children).toMatchObject([{ waiting: [{ stepId: 'agent[1].research-0' }] }]);
    lanes.work('p~agent[0].research-0').calm();
    expect(lanes.live('p')?.children).toEqual([]);
    says(answers('ok'));
    expect(lanes.run('p')).toMatchObject({ end: { reason: 'succeeded' } });
    const begun = lanes
      .at('p')
      .events()
      .filter(({ event }) => event.type === 'ChildStarted');
    expect(begun).toHaveLength(1);
  });
});

describe('case 32: the conversation is broken for ever after a crash', () => {
  const open = (played: Record<string, Played>) => {
    const requests: ModelRequest[] = [];
    const play = new AgentPlay({
      model: (request, turn) => {
        requests.push(request);
        return turn === 0
          ? calls(['pure', { read: 1 }], ['unprotected', { ref: 'h-1' }], ['repeatable', { read: 2 }])
          : answers('ok');
      },
      call: ({ stepId }) => played[stepId.split('.')[1] ?? ''] ?? 'open',
    });
    return { play, requests };
  };

  it.each(['tell', 'wait'] as const)('has one result for each call when the model is asked again (%s)', (onDoubt) => {
    const { play, requests } = open({ 'pure-0': { result: 'first' } });
    play.submit(agentOf(['pure', 'unprotected', 'repeatable'], { onDoubt, hold: 'step' }));
    // Its worker dies: the effect is in doubt, the paid read is made again.
    play.dies();
    const again = play.orders.find(({ attemptId }) => attemptId.endsWith('repeatable-2/1'));
    expect(again).toBeDefined();
    play.play(again as never, { result: 'third' });
    if (onDoubt === 'wait') {
      expect(requests).toHaveLength(1);
      play.lane.tick(10_000);
      play.lane.decides(Object.values(play.lane.questions())[0] ?? 0, 'applied', {
        proof: { seen: true },
        result: 'second',
      });
    }
    const model = play.orders.find(({ stepId }) => stepId === 'agent[1].model');
    const request = model?.args as unknown as ModelRequest;
    expect(unpaired(request)).toEqual([]);
    const second = onDoubt === 'wait' ? 'second' : expect.stringContaining('The outcome of this call is not known');
    expect(texts(request)).toEqual(['first', second, 'third']);
  });
});

describe('a model in case 49: the limit is reached and the loop goes on', () => {
  it.each(['whole', 'with another owner after turn 9'])('never: ten turns are ten requests (%s)', (how) => {
    const play = new AgentPlay({ model: (_, turn) => calls(['pure', { turn }]) });
    const program = agentOf(['pure'], { budget: { turns: 10, onExhausted: 'ask' } });
    if (how === 'whole') play.submit(program);
    else {
      play.lane.submit(program);
      play.go(18);
      play.lane.unseat().seat();
      play.go();
    }
    expect(play.requests).toHaveLength(10);
    const exhausted = play.lane.events().filter(({ event }) => event.type === 'BudgetExhausted');
    expect(exhausted).toHaveLength(1);
    expect(exhausted[0]?.event.data).toMatchObject({ detail: expect.stringContaining('turns 10/10') });
    const questions = play.lane.events().filter(({ event }) => event.type === 'EscalationOpened');
    expect(questions).toHaveLength(1);
    play.lane.decides(Object.values(play.lane.questions())[0] ?? 0, 'end');
    expect(play.end).toMatchObject({ reason: 'budget_exhausted', detail: expect.stringContaining('turns 10/10') });
  });
});

describe('a model in case 50: two tools take turns', () => {
  const loops = { repeatsMax: 6 } as const;
  const turn =
    (...names: readonly string[]) =>
    (_: ModelRequest, at: number) =>
      calls([names[at % names.length] ?? '', { x: 1 }]);

  it.each([
    ['two in turn', ['pure', 'repeatable']],
    ['one that lists nothing', ['pure']],
    ['a ring of three', ['pure', 'repeatable', 'verifiable']],
  ])('are stopped by the twelfth call, with the pattern: %s', (_, names) => {
    const play = new AgentPlay({ model: turn(...names), call: () => ({ result: [] }) }).submit(
      agentOf(names, { loops }),
    );
    expect(play.called.length).toBeLessThanOrEqual(12);
    expect(play.end?.reason).toBe('looping');
    for (const name of names) expect(play.end?.detail).toContain(`${name}@1`);
  });

  it('but not honest work', () => {
    const play = new AgentPlay({
      model: (_, at) => (at < 40 ? calls(['pure', { page: at }]) : answers('read')),
      call: ({ args }) => ({ result: args }),
    }).submit(agentOf(['pure'], { loops }));
    expect(play.called).toHaveLength(40);
    expect(play.end?.reason).toBe('succeeded');
  });
});
