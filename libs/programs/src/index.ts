export {
  APPROVAL_RULES_MAX,
  approvalRuleFor,
  approvalRulesOf,
  approvalRulesSchema,
  isAbout,
  toolApprovalRulesSchema,
  type ApprovalRule,
  type ToolApprovalRule,
} from './approvals.js';
export * from './asking.js';
export * from './budget.js';
export * from './agent/model.js';
export { AGENT, isCalled, isDelegated, nameOf, type AgentSettings, type AgentTool } from './agent/agent.js';
export { type AgentPhase, type AgentProgress } from './agent/agent.state.js';
export { agentsIn, agentsReplied, type AgentAt } from './agent/agents.js';
export { completed } from './agent/complete.js';
export { callRefusals, judgeReply, type CallDecision, type CallRefusal, type TurnDecision } from './agent/judge.js';
export { toolsOfAgent } from './agent/leaf.js';
export { agentProgramSchema, placeInProgram, type AgentProgram } from './agent/program.js';
export { json as jsonSchema } from './json.js';
export * from './plan.js';
export { type NodeProgress, type PlanOutcome, type Progress, type ReadyStep } from './progress.js';
export { ProgramError } from './program-error.js';
export { parseText, type Reference, type TextPart } from './reference.js';
export { holdsOmitted } from './omitted.js';
export { cut } from './text.js';
export { follow, resolve, type Look, type Resolved } from './resolve.js';
export { begin, doubted, failed, givenUp, left, opened, runOver, succeeded, turned } from './advance.js';
export { given, givenProblem, givenProgressSchema } from './given.js';
export { argsOf, ready } from './ready.js';
export { outcome } from './outcome.js';
export {
  agentStepAt,
  askAt,
  callAt,
  isDependent,
  isThought,
  leafAt,
  nodeSettings,
  stepAt,
  type NodeSettings,
} from './steps.js';
export { isAgent, isAsk, isCall, isForEach, isRun } from './outline.js';
export { type Catalogue, type CatalogueTool, type JsonSchema, type PlanLimits } from './validation/catalogue.js';
export { answerProblem } from './validation/answer.js';
export { approvalProblems, silenceInChild, submittedRulesProblems } from './validation/people.js';
export { parsePlan } from './validation/parse-plan.js';
export { type PlanProblem, type PlanProblemCode } from './validation/problem.js';
export { schemaProblem, valueProblems, wholeValueProblems } from './validation/value.js';
export { validatePlan } from './validation/validate-plan.js';
export { forEachNames, widened, withWindows, type Windows } from './windows.js';
