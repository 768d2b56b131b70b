import { APPROVAL_RULES_MAX, approvalRulesOf, isAbout, type ApprovalRule } from '../approvals.js';
import { isCalled, isDelegated } from '../agent/agent.js';
import { isAgent, isAsk, isCall, isForEach, isRun, templateOf } from '../outline.js';
import type { Plan, PlanAgent, PlanAsk, PlanNode } from '../plan.js';
import { isDependent } from '../steps.js';
import { argumentProblems } from './arguments.js';
import { answerProblem, answerSchemaProblem, ASKED_MAX } from './answer.js';
import type { Catalogue, CatalogueTool, JsonSchema } from './catalogue.js';
import { placeOf, type PlanProblem } from './problem.js';
import { sampleOf } from './sample.js';
import type { Surroundings } from './surroundings.js';

const ASKED: JsonSchema = { type: 'object', properties: { question: { type: 'string' } } };

/** What is wrong with a question to a person that stands at `at`. */
export const askProblems = (node: PlanAsk, at: string, around: Surroundings): readonly PlanProblem[] => {
  const place = placeOf(at, 'ask');
  const sample = sampleOf(templateOf(node), place, around);
  const { choices, schema, onSilence } = node.ask;
  const wrong = schema === undefined ? null : answerSchemaProblem(schema);
  const unusable: readonly PlanProblem[] =
    wrong === null ? [] : [{ at: placeOf(place, 'schema'), code: 'unusable_schema', message: wrong }];
  const twice = (choices ?? []).flatMap((choice, index, all): readonly PlanProblem[] =>
    all.indexOf(choice) === index
      ? []
      : [{ at: placeOf(placeOf(place, 'choices'), index), code: 'malformed', message: `${choice} is offered twice` }],
  );
  const silence = typeof onSilence === 'object' && wrong === null ? silenceProblem(node, onSilence.answer) : null;
  const answered: readonly PlanProblem[] =
    silence === null
      ? []
      : [{ at: placeOf(placeOf(place, 'onSilence'), 'answer'), code: 'argument_wrong', message: silence }];
  return [...sample.problems, ...argumentProblems(sample, place, ASKED), ...unusable, ...twice, ...answered];
};

const silenceProblem = ({ ask }: PlanAsk, answer: Parameters<typeof answerProblem>[1]): string | null => {
  if (ask.choices !== undefined) {
    return ask.choices.some((choice) => choice === answer) ? null : `silence must be one of ${ask.choices.join(', ')}`;
  }
  const size = JSON.stringify(answer).length;
  if (size > ASKED_MAX) return `silence has ${size} characters; at most ${ASKED_MAX} are allowed`;
  return answerProblem(ask.schema ?? {}, answer);
};

/** What is wrong with the rules of a submission, beside those of its plan. */
export const submittedRulesProblems = (
  rules: readonly ApprovalRule[],
  plan: Plan,
  catalogue: Catalogue,
): readonly PlanProblem[] => {
  const count = approvalRulesOf(rules, plan.approvals).length;
  const message = `${count} rules with those of the plan and of its tools; at most ${APPROVAL_RULES_MAX} are allowed`;
  const many: readonly PlanProblem[] =
    count > APPROVAL_RULES_MAX ? [{ at: 'approvals', code: 'malformed', message }] : [];
  return [...approvalProblems(rules, 'approvals', catalogue), ...many];
};

/** Characters of what a rule compares with: it is compared with the arguments of each call. */
const COMPARED_MAX = 1_024;

/** Rules that name a tool which is not there would let through what they were made to stop. */
export const approvalProblems = (
  rules: readonly ApprovalRule[],
  at: string,
  catalogue: Catalogue,
): readonly PlanProblem[] =>
  rules.flatMap((rule, index): readonly PlanProblem[] => {
    const place = placeOf(at, index);
    const large = (rule.when ?? []).flatMap(({ value }, nth): readonly PlanProblem[] => {
      const size = JSON.stringify(value).length;
      const message = `it has ${size} characters; at most ${COMPARED_MAX} are allowed`;
      const where = placeOf(placeOf(placeOf(place, 'when'), nth), 'value');
      return size > COMPARED_MAX ? [{ at: where, code: 'malformed', message }] : [];
    });
    if ([...catalogue.keys()].some((tool) => isAbout(rule, tool))) return large;
    const message = `no tool ${rule.tool} is registered`;
    return [{ at: placeOf(place, 'tool'), code: 'unknown_tool', message }, ...large];
  });

/** Questions whose silence counts as an answer, and calls behind them that cannot be undone. */
export const silenceProblems = (plan: Plan, catalogue: Catalogue): readonly PlanProblem[] => {
  const leaves = leavesOf(plan.steps, '', 'steps');
  const calls = leaves.flatMap(({ node, stepId }) => {
    // What another run does is not known beforehand.
    if (isRun(node)) return [{ stepId, tool: 'its run' }];
    if (isAgent(node)) return isHarmlessAgent(node, catalogue) ? [] : [{ stepId, tool: 'its agent' }];
    return isCall(node) && !harmless(catalogue.get(node.tool)) ? [{ stepId, tool: node.tool }] : [];
  });
  return leaves.filter(isSilent).flatMap(({ stepId, at }): readonly PlanProblem[] => {
    const call = calls.find((later) => isDependent(plan, later.stepId, stepId));
    if (call === undefined) return [];
    return [goesOn(at, `${call.stepId} comes after it, and what ${call.tool} does cannot be undone`)];
  });
};

/** Questions of a run that another one has begun: what comes after its result is not known here. */
export const silenceInChild = (plan: Plan): readonly PlanProblem[] =>
  leavesOf(plan.steps, '', 'steps')
    .filter(isSilent)
    .map(({ at }) => goesOn(at, 'another run has begun this one, and what it does with the result may not be undone'));

const isSilent = ({ node }: Leaf): boolean => isAsk(node) && typeof node.ask.onSilence === 'object';

const goesOn = (at: string, why: string): PlanProblem => ({
  at: placeOf(placeOf(at, 'ask'), 'onSilence'),
  code: 'silence_goes_on',
  message: `silence cannot be an answer here: ${why}`,
});

const harmless = (tool: CatalogueTool | undefined): boolean => tool?.policy === 'pure' || tool?.policy === 'repeatable';

const isHarmlessAgent = ({ agent }: PlanAgent, catalogue: Catalogue): boolean =>
  agent.tools.every((tool) => !isDelegated(tool) && (!isCalled(tool) || harmless(catalogue.get(tool.tool))));

type Leaf = { readonly node: PlanNode; readonly stepId: string; readonly at: string };

/** Every node but the `forEach`s, with a path that it has in a run. */
const leavesOf = (nodes: readonly PlanNode[], prefix: string, at: string): readonly Leaf[] =>
  nodes.flatMap((node, index): readonly Leaf[] => {
    const place = placeOf(at, index);
    if (!isForEach(node)) return [{ node, stepId: `${prefix}${node.id}`, at: place }];
    return leavesOf(node.steps, `${prefix}${node.id}[0].`, placeOf(place, 'steps'));
  });
