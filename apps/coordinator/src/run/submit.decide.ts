import { isLane, type Request, type RequestOf } from '@holdfast/contracts';
import {
  canonicalJson,
  isWithinDepth,
  jsonBytes,
  LIMITS,
  limitsOf,
  loopRuleOf,
  runEvent,
  sharedEvent,
  traceOfNew,
  type Reply,
  type RunState,
  type ToolPin,
  type Trace,
} from '@holdfast/events';
import {
  completed,
  givenProblem,
  isAgent,
  isCall,
  isForEach,
  parsePlan,
  placeInProgram,
  silenceInChild,
  submittedRulesProblems,
  toolsOfAgent,
  validatePlan,
  type ApprovalRule,
  type Json,
  type Plan,
  type PlanNode,
  type PlanProblem,
} from '@holdfast/programs';
import { boundedText } from './bounded.js';
import { record, recordShared, type LaneDraft, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { refuse, type Refusal } from './refuse.js';
import { applyRememberedCancel } from './remembered-cancel.decide.js';

export type Submission = {
  readonly request: RequestOf<'SubmitRun'>;
  /** Random, fixed for the life of the run: a reused run id never finds the effects of an older run. */
  readonly runKey: string;
};

/** A run is accepted whole or refused with every problem named by its place. */
export const decideSubmit = (draft: RunDraft, submission: Submission, env: Env): void => {
  const before = draft.replies.length;
  submit(draft, submission, env);
  const reply = draft.replies[before];
  if (reply?.outcome === 'refused') refuseChild(draft.lane, submission.request, reply);
};

/** Whoever has begun a run that is refused is told. */
export const refuseChild = (lane: LaneDraft, { type, data, principal }: Request, reply: Said): void => {
  if (type !== 'SubmitRun' || data.parent === undefined || !isLane(principal)) return;
  const { runId, parent } = data;
  const { code = 'refused', message = '' } = reply;
  recordShared(lane, sharedEvent('ChildRefused', { runId, parent, code, message: boundedText(message) }));
};

type Said = Pick<Reply, 'code' | 'message'>;

const submit = (draft: RunDraft, { request, runKey }: Submission, env: Env): void => {
  const { data, principal } = request;
  const program = data.program as Json;
  const input = (data.input ?? {}) as Json;
  const said = isLane(principal) ? [] : OF_LANES.filter((name) => data[name] !== undefined);
  if (said.length > 0) {
    const message = `${said.join(', ')}: only a run that begins another one says that`;
    return refuse(draft, request, { code: 'invalid_request', message });
  }
  const tooLarge = largeness(program ?? null, input, besides(data));
  if (tooLarge !== null) return refuse(draft, request, { code: 'too_large', message: tooLarge });
  const requestHash = env.digest(canonicalJson({ program: program ?? null, input, ...asked(data) }));
  if (draft.run !== undefined) return void draft.replies.push(again(draft.run, request, requestHash));
  const late = lateness(data, env);
  if (late !== null) return refuse(draft, request, { code: 'obsolete', message: late });
  const parsed = parsePlan(program);
  if ('problems' in parsed) return refuse(draft, request, invalid(parsed.problems));
  const deadlineMs = durationOf(data, env);
  const problems = problemsOf(data, parsed.plan, { input, deadlineMs }, env);
  if (problems.length > 0) return refuse(draft, request, invalid(placed(problems, program)));
  const rules = rulesBeside(data, parsed.plan, env);
  const plan = completed(parsed.plan, env.catalogue);
  const grown = jsonBytes(plan as unknown as Json) + jsonBytes(input) + jsonBytes(besides(data));
  if (grown > LIMITS.acceptedBytes) {
    const message = `program and input have ${grown} bytes with the schemas of its agents' tools; at most ${LIMITS.acceptedBytes} are allowed`;
    return refuse(draft, request, { code: 'too_large', message });
  }
  record(
    draft,
    runEvent('RunAccepted', {
      runId: data.runId,
      requestId: data.requestId,
      requestHash,
      principal,
      labels: data.labels ?? {},
      runKey,
      program: plan,
      input,
      tools: pins(parsed.plan, env),
      acceptedAt: env.now,
      deadlineAt: env.now + deadlineMs,
      ...(data.concurrency === undefined ? {} : { concurrency: data.concurrency }),
      ...(data.generation === undefined ? {} : { generation: data.generation }),
      ...(data.validUntil === undefined ? {} : { validUntil: data.validUntil }),
      ...(data.parent === undefined ? {} : { parent: data.parent }),
      ...(rules.length === 0 && data.approvals === undefined ? {} : { approvals: [...rules] }),
      ...(data.escalations === undefined ? {} : { escalations: data.escalations }),
      ...(data.compensate === undefined ? {} : { compensate: data.compensate }),
      limits: data.limits ?? limitsOf(data.budget, parsed.plan.budget),
      ...loopsOf(data, parsed.plan),
      ...(data.tenant === undefined ? {} : { tenant: data.tenant }),
      ...(data.fork === undefined ? {} : { fork: data.fork }),
      ...tracedAs(traceOfNew(request.traceparent, runKey, env.settings.traceRatio ?? 0)),
    }),
    principal,
  );
  applyRememberedCancel(draft, env);
};

/** Problems where somebody has written what they are about. */
const placed = (problems: readonly PlanProblem[], program: Json): readonly PlanProblem[] =>
  problems.map((problem) => ({ ...problem, at: placeInProgram(program, problem.at) }));

const tracedAs = (trace: Trace | undefined) => (trace === undefined ? {} : { trace });

type Data = RequestOf<'SubmitRun'>['data'];

/** Why it comes too late to be begun; null where it does not. */
const lateness = ({ bornBy, validUntil }: Data, env: Env): string | null => {
  if (bornBy !== undefined && bornBy <= env.now && env.rules.noLateBirth) {
    return `it was to begin before ${new Date(bornBy).toISOString()}`;
  }
  if (validUntil === undefined || validUntil > env.now) return null;
  return `the run was valid until ${new Date(validUntil).toISOString()} and came later`;
};

type Bounds = { readonly input: Json; readonly deadlineMs: number };

const problemsOf = (data: Data, plan: Plan, { input, deadlineMs }: Bounds, env: Env): readonly PlanProblem[] => {
  const problems = [
    ...validatePlan(plan, input, env.catalogue, { runDeadlineMs: deadlineMs, startByMs: env.settings.startByMs }),
    ...submittedRulesProblems(rulesBeside(data, plan, env), plan, env.catalogue),
    ...(data.parent === undefined ? [] : silenceInChild(plan)),
    ...(data.compensate === undefined ? [] : undoProblems(plan, env)),
  ];
  // Whether a run can have come so far is a question only about a plan that is sound.
  return problems.length > 0 ? problems : forkProblems(data, plan, input);
};

/** What a lane says in the name of a run that begins another one. */
const OF_LANES = ['parent', 'limits', 'bornBy', 'deadlineAt'] as const;

/** What makes a submission the same one, besides program and input. What nobody asked for changes no hash. */
const asked = (data: Data): { readonly [name: string]: Json } => {
  const { deadlineMs, concurrency, generation, validUntil, parent, approvals, escalations } = data;
  const { compensate, budget, limits, loops, tenant, fork } = data;
  const bounds = { approvals, escalations, compensate, budget, limits, loops, tenant };
  const others = { concurrency, generation, validUntil, parent, fork, ...bounds };
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return { deadlineMs: deadlineMs ?? null, ...(Object.fromEntries(given) as { readonly [name: string]: Json }) };
};

/** The rules of the submission, and those that tools bring along for every run. */
const rulesBeside = (data: Data, plan: Plan, { catalogue }: Env): readonly ApprovalRule[] => [
  ...(data.approvals ?? []),
  ...[...new Set(plan.steps.flatMap(toolsIn))].flatMap((tool) =>
    (catalogue.get(tool)?.approvals ?? []).map((rule) => ({ ...rule, tool })),
  ),
];

/** What is taken over must be something that a run of the plan can have come to. */
const forkProblems = ({ fork }: Data, plan: Plan, input: Json): readonly PlanProblem[] => {
  const problem = fork === undefined ? null : givenProblem(plan, input, fork.progress);
  return problem === null ? [] : [{ at: 'fork.progress', code: 'bad_progress', message: problem }];
};

/** All else of a submission that a run keeps. */
const besides = (data: Data): Json => ({ ...asked(data), labels: data.labels ?? {} });

const loopsOf = (data: Data, plan: Plan) => {
  const loops = loopRuleOf(data.loops, plan.loops);
  return loops === null ? {} : { loops };
};
/** A run that another one has begun takes as long as that one says, which is bounded by its own end. */
const durationOf = ({ deadlineMs, deadlineAt }: RequestOf<'SubmitRun'>['data'], { now, settings }: Env): number =>
  deadlineAt === undefined
    ? (deadlineMs ?? settings.runMs)
    : Math.min(deadlineMs ?? Infinity, Math.max(0, deadlineAt - now));

/** Tools that are named to undo others and that nobody has published. */
const undoProblems = (plan: Plan, { catalogue }: Env): readonly PlanProblem[] =>
  [...new Set(plan.steps.flatMap(toolsIn))].flatMap((ref) => {
    const undo = catalogue.get(ref)?.compensate;
    if (undo === undefined || catalogue.has(undo)) return [];
    return [
      { at: '', code: 'unknown_tool', message: `no tool ${undo} is registered, which is to undo ${ref}` } as const,
    ];
  });

const again = (run: RunState, { data }: RequestOf<'SubmitRun'>, requestHash: string): Reply => {
  const same = run.requestHash === requestHash;
  const { requestId, runId } = data;
  if (same)
    return { requestId, runId, outcome: 'unchanged', message: `the run was accepted before and is ${run.status}` };
  const message = `the run id ${runId} belongs to a run with another program or input; choose another id`;
  return { requestId, runId, outcome: 'refused', code: 'run_id_taken', message };
};

const invalid = (problems: readonly PlanProblem[]): Refusal => ({
  code: 'invalid_program',
  message: told(problems),
  details: problems,
});

/** A run must fit one decision, or it would stop its lane. */
const largeness = (program: Json, input: Json, besides: Json): string | null => {
  const bytes = jsonBytes(input);
  if (bytes > LIMITS.inlineValueBytes) {
    return `the input has ${bytes} bytes; at most ${LIMITS.inlineValueBytes} are allowed`;
  }
  const all = bytes + jsonBytes(program) + jsonBytes(besides);
  if (all > LIMITS.submissionBytes) {
    return `program, input and what goes with them have ${all} bytes; at most ${LIMITS.submissionBytes} are allowed`;
  }
  if ([input, program, besides].every((value) => isWithinDepth(value, LIMITS.valueDepth))) return null;
  return `program, input and what goes with them may have at most ${LIMITS.valueDepth} levels of arrays and objects`;
};

const told = (problems: readonly PlanProblem[]): string =>
  problems
    .slice(0, 20)
    .map(({ at, message }) => (at === '' ? message : `${at}: ${message}`))
    .join('; ');

const pins = (plan: Plan, env: Env): Record<string, ToolPin> => {
  const refs = new Set(plan.steps.flatMap(toolsIn));
  return Object.fromEntries([...refs].map((ref) => [ref, pinFrom(ref, env)]));
};

const toolsIn = (node: PlanNode): string[] => {
  if (isForEach(node)) return node.steps.flatMap(toolsIn);
  if (isAgent(node)) return [...toolsOfAgent(node)];
  return isCall(node) ? [node.tool] : [];
};

const pinFrom = (ref: string, env: Env): ToolPin => {
  const tool = env.catalogue.get(ref);
  if (tool === undefined) throw new Error(`tool ${ref} passed validation but is not in the catalogue`);
  const { name, version, policy, queue, timeoutMs, settleMs, keyTtlMs, verify, spawns, hash } = tool;
  const { compensate, cost } = tool;
  return {
    name,
    version,
    policy,
    queue,
    timeoutMs,
    settleMs,
    verify,
    spawns,
    hash,
    ...(keyTtlMs === undefined ? {} : { keyTtlMs }),
    ...(compensate === undefined ? {} : { compensate }),
    ...(cost === undefined ? {} : { cost }),
  };
};
