import type { Json, Plan, PlanAgent, PlanAsk, PlanForEach, PlanNode, PlanRun, PlanStep, Template } from './plan.js';
import { mentionsIn } from './template.js';
import { ProgramError } from './program-error.js';

/** One scope of a plan: its top level, or what is done for each item of a `forEach`. */
export type Scope = {
  readonly nodes: readonly OutlineNode[];
  readonly byId: ReadonlyMap<string, OutlineNode>;
  /** The `forEach` whose items have this scope; undefined at the top level. */
  readonly forEachId: string | undefined;
};

/** A node with what follows from the plan alone. All ids are of the node's own scope. */
export type OutlineNode = {
  readonly id: string;
  readonly plan: PlanNode;
  /** What must be done before the node starts: `after`, and whatever it or a node inside it refers to. */
  readonly dependencies: readonly string[];
  readonly dependants: readonly string[];
  readonly reads: readonly string[];
  readonly readers: readonly string[];
  /** The plan's output refers to the node: its result is kept to the end. */
  readonly inOutput: boolean;
  /** What is done for each item, of a `forEach`. */
  readonly inner: Scope | undefined;
};

export const isForEach = (node: PlanNode): node is PlanForEach => 'forEach' in node;
export const isAgent = (node: PlanNode): node is PlanAgent => 'agent' in node;
export const isAsk = (node: PlanNode): node is PlanAsk => 'ask' in node;
/** Whether a node calls a tool. */
export const isCall = (node: PlanNode): node is PlanStep => 'tool' in node;

export const isRun = (node: PlanNode): node is PlanRun => 'run' in node;

/** The values a node's own templates are made of: the arguments of a step, the array of a `forEach`, what is asked. */
export const templateOf = (node: PlanNode): Template => {
  if (isForEach(node)) return node.forEach;
  if (isRun(node)) return templateOfRun(node);
  if (isCall(node)) return node.args ?? {};
  if (isAgent(node)) return { instructions: node.agent.instructions, task: node.agent.task };
  const { question, context } = node.ask;
  return { question, ...(context === undefined ? {} : { context }) };
};

const runTemplates = new WeakMap<PlanRun, Template>();

/** What is resolved before a run begins. References in a program that stands in the plan are that program's own. */
const templateOfRun = (node: PlanRun): Template => {
  const known = runTemplates.get(node);
  if (known !== undefined) return known;
  const { program, input = {}, runId = null } = node.run;
  const template = { program: isReference(program) ? program : { $literal: program }, input, runId };
  runTemplates.set(node, template);
  return template;
};

/** Whether the program of a run comes as a value. */
export const isReference = (program: Json): boolean =>
  typeof program === 'object' && program !== null && Object.hasOwn(program, '$from');

const outlines = new WeakMap<Plan, Scope>();

/**
 * The outline of a plan, computed once per plan value. Throws `ProgramError` for a plan that validation refuses because
 * of its ids: it would wait for ever.
 */
export const outlineOf = (plan: Plan): Scope => {
  const known = outlines.get(plan);
  if (known !== undefined) return known;
  const inOutput = plan.output === undefined ? [] : stepsNamed(plan.output);
  const outline = scopeOf(plan.steps, undefined, new Set(inOutput));
  outlines.set(plan, outline);
  return outline;
};

const agentful = new WeakMap<Plan, boolean>();

/** Whether a plan has an agent at all, computed once per plan value: most have none, and nobody looks for theirs. */
export const hasAgents = (plan: Plan): boolean => {
  const known = agentful.get(plan);
  if (known !== undefined) return known;
  const has = plan.steps.some(holdsAgent);
  agentful.set(plan, has);
  return has;
};

const holdsAgent = (node: PlanNode): boolean => isAgent(node) || (isForEach(node) && node.steps.some(holdsAgent));

/** The node with an id; throws `ProgramError` when the scope has none. */
export const nodeIn = (scope: Scope, id: string, stepId: string): OutlineNode => {
  const node = scope.byId.get(id);
  if (node === undefined) throw new ProgramError(`the plan has no step ${stepId}`);
  return node;
};

const scopeOf = (nodes: readonly PlanNode[], forEachId: string | undefined, inOutput: ReadonlySet<string>): Scope => {
  const ids = new Set(nodes.map(({ id }) => id));
  if (ids.size < nodes.length) throw new ProgramError(`two steps of one scope have the same id`);
  const needs = nodes.map((node) => needsOf(node, ids));
  const outlined = nodes.map((node, at): OutlineNode => {
    const { reads, dependencies } = needs[at] ?? NO_NEEDS;
    return {
      id: node.id,
      plan: node,
      dependencies,
      dependants: nodes.filter((_, other) => needs[other]?.dependencies.includes(node.id)).map(({ id }) => id),
      reads,
      readers: nodes.filter((_, other) => needs[other]?.reads.includes(node.id)).map(({ id }) => id),
      inOutput: inOutput.has(node.id),
      inner: isForEach(node) ? scopeOf(node.steps, node.id, new Set()) : undefined,
    };
  });
  return { nodes: outlined, byId: new Map(outlined.map((node) => [node.id, node])), forEachId };
};

type Needs = { readonly reads: readonly string[]; readonly dependencies: readonly string[] };
const NO_NEEDS: Needs = { reads: [], dependencies: [] };

const needsOf = (node: PlanNode, ids: ReadonlySet<string>): Needs => {
  const after = node.after ?? [];
  const unknown = after.find((id) => !ids.has(id));
  if (unknown !== undefined) throw new ProgramError(`${node.id} comes after ${unknown}, which its scope does not have`);
  const reads = [...freeNames(node)].filter((id) => ids.has(id));
  return { reads, dependencies: [...new Set([...after, ...reads])] };
};

/** The steps that a node refers to and that are not inside it: an inner scope's own ids hide the outer ones. */
export const freeNames = (node: PlanNode): ReadonlySet<string> => {
  const names = new Set(stepsNamed(templateOf(node)));
  if (!isForEach(node)) return names;
  const hidden = new Set(node.steps.map(({ id }) => id));
  for (const inner of node.steps) {
    for (const name of freeNames(inner)) if (!hidden.has(name)) names.add(name);
  }
  return names;
};

const stepsNamed = (template: Template): readonly string[] =>
  mentionsIn(template, '').flatMap((mention) =>
    'reference' in mention && mention.reference.root === 'steps' ? [mention.reference.name] : [],
  );
