import type { Json, Plan, PlanForEach, PlanNode, PlanRun, PlanStep } from '../plan.js';
import { ITEMS_MAX } from '../frame.js';
import type { DelegatedTool } from '../agent/agent.js';
import { placeInProgram } from '../agent/program.js';
import { isAgent, isCall, isForEach, isReference, isRun } from '../outline.js';
import { isJsonArray } from '../template.js';
import { agentProblems } from './agents.js';
import { argumentProblems } from './arguments.js';
import type { Catalogue, PlanLimits } from './catalogue.js';
import { idProblems } from './ids.js';
import { parsePlan } from './parse-plan.js';
import { approvalProblems, askProblems, silenceProblems } from './people.js';
import { distinct, placeOf, type PlanProblem } from './problem.js';
import { sampleOf, type Sample } from './sample.js';
import { ANY } from './schema-shape.js';
import { itemsOf, type Known, type Surroundings } from './surroundings.js';
import { toolProblems } from './tool-use.js';

/** A `forEach` in a `forEach` in a … */
export const NESTING_MAX = 4;

/** Items whose real values are tried against what is done for each. */
const ITEMS_TRIED = 3;

/**
 * All that is wrong with a plan for this input and these tools; empty when it may run. References into the input and
 * into its first items are checked by value, references to results by the output schema of their tool.
 */
export const validatePlan = (
  plan: Plan,
  input: Json,
  catalogue: Catalogue,
  limits: PlanLimits,
): readonly PlanProblem[] => {
  const around: Surroundings = { input, catalogue, nodes: plan.steps, allIds: new Set(idsIn(plan.steps)) };
  const output = plan.output === undefined ? [] : sampleOf(plan.output, 'output', around).problems;
  const approvals = approvalProblems(plan.approvals ?? [], 'approvals', catalogue);
  const place = { around, limits, depth: 0, at: 'steps', programs: new Map<Json, readonly PlanProblem[]>() };
  const found = distinct([...scopeProblems(place), ...output, ...approvals]);
  // What comes after what is known only of a plan that is sound otherwise.
  return found.length > 0 ? found : silenceProblems(plan, catalogue);
};

type ScopePlace = {
  readonly around: Surroundings;
  readonly limits: PlanLimits;
  readonly depth: number;
  readonly at: string;
  /** Programs of child runs that were looked at: once each, however many items begin one. */
  readonly programs: Map<Json, readonly PlanProblem[]>;
};

const scopeProblems = (place: ScopePlace): readonly PlanProblem[] => [
  ...idProblems(place.around.nodes, place.at),
  ...place.around.nodes.flatMap((node, index) => {
    const at = placeOf(place.at, index);
    if (isForEach(node)) return forEachProblems(node, { ...place, at });
    if (isRun(node)) return runProblems(node, { ...place, at });
    if (isAgent(node))
      return agentProblems(node, { ...place, at }, (tool, there) => delegatedProblems(tool, { ...place, at: there }));
    return isCall(node) ? stepProblems(node, { ...place, at }) : askProblems(node, at, place.around);
  }),
];

const stepProblems = (step: PlanStep, { around, limits, at }: ScopePlace): readonly PlanProblem[] => {
  const place = placeOf(at, 'args');
  const sample = sampleOf(step.args ?? {}, place, around);
  const tool = around.catalogue.get(step.tool);
  if (tool === undefined) {
    const message = `no tool ${step.tool} is registered`;
    return [{ at: placeOf(at, 'tool'), code: 'unknown_tool', message }, ...sample.problems];
  }
  return [
    ...toolProblems(step, tool, at, limits),
    ...sample.problems,
    ...argumentProblems(sample, place, tool.inputSchema),
  ];
};

/** A program that stands in the plan is looked at like the plan itself, as far as its input is known. */
const runProblems = ({ run }: PlanRun, place: ScopePlace): readonly PlanProblem[] => {
  const at = placeOf(place.at, 'run');
  const { around } = place;
  const input = sampleOf(run.input ?? {}, placeOf(at, 'input'), around);
  const runId = sampleOf(run.runId ?? null, placeOf(at, 'runId'), around);
  const program = isReference(run.program)
    ? sampleOf(run.program, placeOf(at, 'program'), around).problems
    : programProblems(run, input, { ...place, at: placeOf(at, 'program') });
  return [...input.problems, ...runId.problems, ...program];
};

const ANY_INPUT: Sample = {
  value: null,
  spots: [{ pointer: '', at: '', text: 'the input', schema: ANY }],
  problems: [],
};

/** A run that a model may begin: what it is given is known only then. */
const delegatedProblems = ({ run }: DelegatedTool, place: ScopePlace): readonly PlanProblem[] =>
  programProblems({ ...run }, ANY_INPUT, { ...place, at: placeOf(place.at, 'program') });

/** What holds whatever the input is. */
const CERTAIN: ReadonlySet<string> = new Set([
  'malformed',
  'duplicate_id',
  'unknown_after',
  'cycle',
  'unknown_tool',
  'not_a_model',
]);

const programProblems = (run: PlanRun['run'], input: Sample, place: ScopePlace): readonly PlanProblem[] => {
  const { programs, around, limits, at } = place;
  const known = programs.get(run.program);
  if (known !== undefined) return known;
  const parsed = parsePlan(run.program);
  const runDeadlineMs = Math.min(limits.runDeadlineMs, run.deadlineMs ?? Infinity);
  const found =
    'problems' in parsed
      ? parsed.problems
      : validatePlan(parsed.plan, input.value, around.catalogue, { ...limits, runDeadlineMs });
  const whole = input.spots.every(({ schema }) => schema === undefined);
  const problems = found
    .filter(({ code }) => whole || CERTAIN.has(code))
    .map((problem) => ({ ...problem, at: placeInProgram(run.program, problem.at) }))
    .map((problem) => ({ ...problem, at: problem.at === '' ? at : `${at}.${problem.at}` }));
  programs.set(run.program, problems);
  return problems;
};

const forEachProblems = (forEach: PlanForEach, place: ScopePlace): readonly PlanProblem[] => {
  if (place.depth >= NESTING_MAX) {
    const message = `forEach can stand in forEach ${NESTING_MAX} deep at most`;
    return [{ at: place.at, code: 'nested_too_deep', message }];
  }
  const at = placeOf(place.at, 'forEach');
  const { items, problems } = itemsToTry(forEach, at, place.around);
  const inner = items.flatMap((known, index) =>
    scopeProblems({
      ...place,
      around: {
        ...place.around,
        nodes: forEach.steps,
        item: { outer: place.around, forEachId: forEach.id, known, index: { value: index } },
      },
      depth: place.depth + 1,
      at: placeOf(place.at, 'steps'),
    }),
  );
  return [...problems, ...inner];
};

type ItemsToTry = { readonly items: readonly Known[]; readonly problems: readonly PlanProblem[] };

// Even without a usable array the steps inside are looked at: all problems are told at once.
const UNKNOWN_ITEM: readonly Known[] = [{ schema: ANY }];

const itemsToTry = (forEach: PlanForEach, at: string, around: Surroundings): ItemsToTry => {
  if (isJsonArray(forEach.forEach)) return listedItems(forEach.forEach, at, around);
  const sample = sampleOf(forEach.forEach, at, around);
  const schema = sample.spots.find(({ pointer }) => pointer === '')?.schema;
  const items = itemsOf(schema === undefined ? sample : { schema }, ITEMS_TRIED);
  if ('code' in items) return { items: UNKNOWN_ITEM, problems: [...sample.problems, { at, ...items }] };
  const count = isJsonArray(sample.value) ? sample.value.length : 0;
  return {
    items: items.length === 0 ? UNKNOWN_ITEM : items,
    problems: [...sample.problems, ...tooMany(count, at)],
  };
};

const listedItems = (elements: readonly Json[], at: string, around: Surroundings): ItemsToTry => {
  const samples = elements.map((element, index) => sampleOf(element, placeOf(at, index), around));
  const items = samples.slice(0, ITEMS_TRIED).map((sample): Known => {
    const unknown = sample.spots.find(({ schema }) => schema !== undefined);
    if (unknown?.schema === undefined) return { value: sample.value };
    return { schema: unknown.pointer === '' ? unknown.schema : ANY };
  });
  return {
    items: items.length === 0 ? UNKNOWN_ITEM : items,
    problems: [...samples.flatMap(({ problems }) => problems), ...tooMany(elements.length, at)],
  };
};

const tooMany = (count: number, at: string): readonly PlanProblem[] =>
  count > ITEMS_MAX
    ? [{ at, code: 'too_many_items', message: `${count} items; a forEach has ${ITEMS_MAX} at most` }]
    : [];

const idsIn = (nodes: readonly PlanNode[]): readonly string[] =>
  nodes.flatMap((node) => (isForEach(node) ? [node.id, ...idsIn(node.steps)] : [node.id]));
