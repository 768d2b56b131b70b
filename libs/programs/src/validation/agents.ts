import { isCalled, isDelegated, nameOf, type AgentTool, type CalledTool, type DelegatedTool } from '../agent/agent.js';
import type { ModelReply, ModelRequest } from '../agent/model.js';
import type { Json, PlanAgent } from '../plan.js';
import { answerSchemaProblem } from './answer.js';
import type { Catalogue, CatalogueTool, PlanLimits } from './catalogue.js';
import { placeOf, type PlanProblem } from './problem.js';
import { sampleOf } from './sample.js';
import type { Surroundings } from './surroundings.js';
import { toolProblems } from './tool-use.js';
import { valueProblems } from './value.js';

type Place = { readonly around: Surroundings; readonly limits: PlanLimits; readonly at: string };
/** Looks at the program of a run that a model may begin. */
type LookInto = (tool: Extract<AgentTool, { run: unknown }>, at: string) => readonly PlanProblem[];

/** What is wrong with an agent that stands at `at`. */
export const agentProblems = (
  { agent }: PlanAgent,
  { around, limits, at }: Place,
  lookInto: LookInto,
): readonly PlanProblem[] => {
  const place = placeOf(at, 'agent');
  const { catalogue } = around;
  const models = [
    { ref: agent.model, at: placeOf(place, 'model') },
    ...(agent.context?.model === undefined
      ? []
      : [{ ref: agent.context.model, at: placeOf(placeOf(place, 'context'), 'model') }]),
  ];
  return [
    ...sampleOf(agent.instructions, placeOf(place, 'instructions'), around).problems,
    ...sampleOf(agent.task, placeOf(place, 'task'), around).problems,
    ...models.flatMap((model) => modelProblems(model.ref, model.at, catalogue)),
    ...models.flatMap(({ ref }) => timeProblems(ref, agent.timeoutMs, { catalogue, limits, at: place })),
    ...schemaProblems(agent.answer, placeOf(place, 'answer')),
    ...agent.tools.flatMap((tool, index, all): readonly PlanProblem[] => {
      const there = placeOf(placeOf(place, 'tools'), index);
      return [
        ...sameName(tool, all.slice(0, index), there),
        ...toolProblemsOf(tool, there, { catalogue, limits, lookInto }),
      ];
    }),
  ];
};

/** The least that a model must be able to take, and to say. */
const REQUEST: ModelRequest = {
  instructions: '',
  messages: [{ role: 'user', text: '' }],
  tools: [{ name: 'tool', parameters: { type: 'object' } }],
};
const REPLY: ModelReply = { text: '', calls: [], finish: 'answer', usage: { tokensIn: 0, tokensOut: 0 } };

const modelProblems = (ref: string, at: string, catalogue: Catalogue): readonly PlanProblem[] => {
  const tool = catalogue.get(ref);
  if (tool === undefined) return [{ at, code: 'unknown_tool', message: `no tool ${ref} is registered` }];
  const why = notAModel(tool);
  return why === null ? [] : [{ at, code: 'not_a_model', message: `${ref} is no model: ${why}` }];
};

const timeProblems = (
  ref: string,
  timeoutMs: number | undefined,
  { catalogue, limits, at }: { readonly catalogue: Catalogue; readonly limits: PlanLimits; readonly at: string },
): readonly PlanProblem[] => {
  const tool = catalogue.get(ref);
  if (tool === undefined || timeoutMs === undefined) return [];
  return toolProblems({ id: 'model', tool: ref, timeoutMs }, tool, at, limits);
};

const notAModel = ({ policy, inputSchema, outputSchema }: CatalogueTool): string | null => {
  if (policy !== 'pure' && policy !== 'repeatable')
    return `it is ${policy}, and asking a model changes nothing outside`;
  const [wrong] = valueProblems(inputSchema, REQUEST as unknown as Json);
  if (wrong !== undefined) return `it does not take a ModelRequest: ${wrong}`;
  const [unfit] = valueProblems(outputSchema, REPLY as unknown as Json);
  return unfit === undefined ? null : `it does not return a ModelReply: ${unfit}`;
};

const schemaProblems = (schema: CatalogueTool['inputSchema'] | undefined, at: string): readonly PlanProblem[] => {
  const wrong = schema === undefined ? null : answerSchemaProblem(schema);
  return wrong === null ? [] : [{ at, code: 'unusable_schema', message: wrong }];
};

const sameName = (tool: AgentTool, earlier: readonly AgentTool[], at: string): readonly PlanProblem[] => {
  const name = nameOf(tool);
  if (!earlier.some((other) => nameOf(other) === name)) return [];
  const message = `the model already knows another tool as ${name}; give one of them a name of its own`;
  return [{ at: placeOf(at, 'name'), code: 'duplicate_id', message }];
};

type Known = { readonly catalogue: Catalogue; readonly limits: PlanLimits; readonly lookInto: LookInto };

const toolProblemsOf = (tool: AgentTool, at: string, known: Known): readonly PlanProblem[] => {
  if (isCalled(tool)) return calledProblems(tool, at, known);
  if (!isDelegated(tool)) return [];
  return [...parametersProblems(tool, placeOf(at, 'parameters')), ...known.lookInto(tool, placeOf(at, 'run'))];
};

/** Models write objects for arguments, and endpoints refuse a tool that says otherwise. */
const parametersProblems = ({ parameters }: DelegatedTool, at: string): readonly PlanProblem[] => {
  if (parameters['type'] === 'object') return schemaProblems(parameters, at);
  return [{ at, code: 'unusable_schema', message: 'it must have the type "object"' }];
};

const calledProblems = (tool: CalledTool, at: string, { catalogue, limits }: Known): readonly PlanProblem[] => {
  const found = catalogue.get(tool.tool);
  if (found !== undefined) return toolProblems({ id: 'call', ...tool }, found, at, limits);
  return [{ at: placeOf(at, 'tool'), code: 'unknown_tool', message: `no tool ${tool.tool} is registered` }];
};
