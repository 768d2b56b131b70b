import { agentOf, modelEntry } from '../../../../test/support/agents.js';
import { allTools, catalogueOf } from '../../../../test/support/tools.js';
import { placeInProgram, type AgentProgram } from '../agent/program.js';
import { parsePlan } from './parse-plan.js';
import { validatePlan } from './validate-plan.js';

const catalogue = new Map([
  ...allTools,
  ...catalogueOf(
    modelEntry(),
    modelEntry({ name: 'slow', timeoutMs: 60_000 }),
    modelEntry({ name: 'reader', inputSchema: { type: 'object', required: ['document'] } }),
  ),
]);

/** The places and codes of what is wrong, as whoever has written the program reads them. */
const problemsOf = (program: unknown): readonly string[] => {
  const parsed = parsePlan(program);
  const limits = { runDeadlineMs: 1_000, startByMs: 1_000 };
  const problems = 'problems' in parsed ? parsed.problems : validatePlan(parsed.plan, {}, catalogue, limits);
  return problems.map(({ at, code }) => `${placeInProgram(program, at)} ${code}`);
};

const begins = (program: unknown, parameters: unknown = { type: 'object' }) => ({
  tools: [{ name: 'begin', description: '', parameters, run: { program } }],
});
const answer = (schema: unknown) => ({ answer: schema });

describe('an agent is refused', () => {
  it.each<[string, object, string]>([
    ['with a field that nobody knows', { also: 1 }, 'also malformed'],
    [
      'with a key that would change what objects are',
      JSON.parse('{"__proto__":{"a":1}}') as object,
      '__proto__ malformed',
    ],
    ['with a model that is not there', { model: 'nobody@1' }, 'model unknown_tool'],
    ['with a model that has effects', { model: 'verifiable@1' }, 'model not_a_model'],
    ['with a tool that takes no request for its model', { model: 'reader@1' }, 'model not_a_model'],
    ['with another model to sum up that is none', { context: { model: 'keyed@1' } }, 'context.model not_a_model'],
    ['with more time for its model than that takes', { timeoutMs: 2_000 }, 'timeoutMs timeout_too_long'],
    [
      'with tools that its model could not tell apart',
      { tools: [{ tool: 'pure@1' }, { tool: 'pure@1' }] },
      'tools[1].name duplicate_id',
    ],
    ['with a name that is no name', { tools: [{ tool: 'pure@1', name: '__proto__' }] }, 'tools[0].name malformed'],
    ['with a tool that is not there', { tools: [{ tool: 'nobody@1' }] }, 'tools[0].tool unknown_tool'],
    ['with a task that is its own answer', { task: { $from: 'steps.agent' } }, 'steps[0] cycle'],
    ['with a task out of nowhere', { task: { $from: 'item' } }, 'task unknown_reference'],
    [
      'with a pattern in the schema of its answer',
      answer({ type: 'string', pattern: '(a+)+$' }),
      'answer unusable_schema',
    ],
    ['with a schema that goes in circles', answer({ $ref: '#' }), 'answer unusable_schema'],
    ['with a schema that promises', answer({ $async: true }), 'answer unusable_schema'],
    [
      'with a run whose input is no object',
      begins(agentOf([]), { type: 'string' }),
      'tools[0].parameters unusable_schema',
    ],
    [
      'with a run whose program is wrong',
      begins(agentOf(['nobody'])),
      'tools[0].run.program.tools[0].tool unknown_tool',
    ],
  ])('%s', (_, more, problem) => {
    expect(problemsOf({ ...agentOf([]), ...more } as AgentProgram)).toEqual([problem]);
  });
});

it('an agent may take as long for its model as that takes', () => {
  expect(problemsOf(agentOf([], { model: 'slow@1', timeoutMs: 60_000 }))).toEqual([]);
});
