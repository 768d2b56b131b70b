import { parsePlan, type Json } from '@holdfast/programs';
import { defineTool, runTool } from '@holdfast/sdk';
import { z } from 'zod';
import { agentOf, AgentPlay, answers, calls, unpaired } from '../support/agents.js';
import { asked, LaneHarness } from '../support/lane-harness.js';
import { request } from '../support/messages.js';
import { planOf, step } from '../support/plans.js';
import { leading, turns } from './support/priced.js';

const submitted = (program: unknown) => {
  const lane = new LaneHarness().seat();
  const data = { requestId: 'r', runId: 'run-1', program: program as Json, input: {} };
  lane.arrive(asked(request('SubmitRun', data)));
  const [reply] = lane.reactions.flatMap((reaction) => (reaction.kind === 'reply' ? [reaction.reply] : []));
  return reply;
};

describe('case 63: cut-off arguments are run as an empty object', () => {
  const cut = `{"path":"report.md","content":"${'x'.repeat(2_778)}`;
  let written = 0;
  const writeFile = defineTool({
    name: 'write_file',
    version: '1',
    input: z.object({ path: z.string().optional(), content: z.string().optional() }),
    output: z.null(),
    replay: { policy: 'unprotected', settleMs: 0 },
    timeoutMs: 1_000,
    run: () => {
      written += 1;
      return null;
    },
  });

  it.each([
    ['text that was cut', cut],
    ['nothing', null],
    ['a list', []],
    ['a text', 'x'],
    ['a number', 1],
  ])('never: they are refused before the call, whatever the tool would take: %s', async (_, args) => {
    expect(await runTool(writeFile, args)).toMatchObject({
      outcome: 'failed',
      retry: 'never',
      failure: { code: 'invalid_args', message: expect.stringContaining('the arguments of write_file@1 do not fit') },
    });
    expect(written).toBe(0);
  });

  it('are refused as well where a plan passes them on, and so is a tool that nobody knows', () => {
    const reply = submitted(planOf(step('a', 'verifiable', { args: cut as unknown as { [name: string]: Json } })));
    expect(reply).toMatchObject({ outcome: 'refused', code: 'invalid_program' });
    const unknown = submitted(planOf(step('a', 'nobody')));
    expect(unknown).toMatchObject({ outcome: 'refused', message: expect.stringContaining('nobody@1') });
  });

  it('are told to the model that wrote them, and nothing is called', () => {
    const play = new AgentPlay({
      model: (_, turn) => (turn === 0 ? calls(['verifiable', cut]) : answers('I give up.')),
    }).submit(agentOf(['verifiable']));
    expect(play.turns[0]?.calls).toEqual([
      { refused: 'malformed_arguments', message: expect.stringContaining('the arguments are not JSON') },
    ]);
    expect(play.called).toEqual([]);
    expect(play.end?.reason).toBe('succeeded');
  });

  it('name their place in a program that is an agent', () => {
    const parsed = parsePlan({ ...agentOf([]), tools: [{ tool: 'x' }], turnsMax: 0 });
    const places = 'problems' in parsed ? parsed.problems.map(({ at }) => at) : [];
    expect(places).toEqual(expect.arrayContaining(['tools[0].tool', 'turnsMax']));
  });
});

describe('case 64: every call has the same id', () => {
  it('never: a call is known by its run and step, what others call it is an argument like any other', () => {
    const made = ['a', 'b', 'c'].map((ref) => ['once', { call: 'call_0', ref }] as const);
    const lane = leading().submit(turns(...made));
    const results = ['A', 'B', 'C'];
    const keys = new Set<string>();
    for (const [at, result] of results.entries()) {
      const ordered = lane.reactions.flatMap((reaction) => (reaction.kind === 'command' ? [reaction.order] : []));
      keys.add(ordered.at(-1)?.key ?? '');
      lane.claims(`run-1/t${at + 1}/0`).say('AttemptSucceeded', { step: `t${at + 1}` }, { result });
    }
    expect(keys.size).toBe(3);
    const told = lane.events().flatMap(({ event }) => (event.type === 'StepSucceeded' ? [event.data] : []));
    expect(told.map(({ stepId, result }) => [stepId, result])).toEqual([
      ['t1', 'A'],
      ['t2', 'B'],
      ['t3', 'C'],
    ]);
  });

  it('is mended where a model does that: each call has its own step and its own result', () => {
    const twice = calls(['verifiable', { ref: 'a' }], ['verifiable', { ref: 'b' }]);
    const reply = { ...twice, calls: twice.calls.map((call) => ({ ...call, id: 'call_0' })) };
    const play = new AgentPlay({
      model: (request, turn) => (turn === 0 ? reply : (expect(unpaired(request)).toEqual([]), answers('ok'))),
      call: ({ args }) => ({ result: args }),
    }).submit(agentOf(['verifiable']));
    const results = play.requests[1]?.messages.filter(({ role }) => role === 'tool');
    expect(results).toEqual([
      expect.objectContaining({ callId: 'call_0', text: '{"ref":"a"}' }),
      expect.objectContaining({ callId: 'call_0_1', text: '{"ref":"b"}' }),
    ]);
    expect(new Set(play.orders.map(({ stepId }) => stepId)).size).toBe(4);
  });

  it('cannot be written into a plan: two steps of one id are refused', () => {
    const twice = planOf(step('call_0', 'verifiable'), step('call_0', 'verifiable'));
    expect(submitted(twice)).toMatchObject({ outcome: 'refused', code: 'invalid_program' });
  });
});
