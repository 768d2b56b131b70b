import {
  argsHash,
  DEFAULTS,
  openStep,
  runEvent,
  type Approval,
  type ApprovedCall,
  type RunEventData,
} from '@holdfast/events';
import { approvalRuleFor, type ApprovalRule, type Json } from '@holdfast/programs';
import { askPerson, type Asked } from './ask.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { callProblem, type NewAttempt } from './place.js';
import { contextProblem, type Problem } from './question.decide.js';

export type Leave =
  | { readonly leave: 'not_needed' }
  | { readonly leave: 'given'; readonly approvalSeq: number }
  | { readonly leave: 'asked'; readonly weight: number }
  /** It is to be asked for once there is room for the question. */
  | { readonly leave: 'put_off' }
  | { readonly leave: 'impossible'; readonly problem: Problem };

/**
 * Whether an attempt may be made as far as people are asked about it. An approval is for this tool by its hash, with
 * these arguments by their hash, and for one effect of this step: it covers a further attempt where none before it has
 * acted. Where it is for anything else, or its time is over, it is void and a person is asked anew.
 */
export const leaveFor = (draft: RunDraft, wanted: NewAttempt, env: Env, mayAsk: () => boolean): Leave => {
  const run = liveRun(draft);
  const rule = approvalRuleFor(run?.approvals ?? [], wanted.tool, wanted.args);
  if (run === undefined || rule === undefined) return { leave: 'not_needed' };
  const { stepId, tool, pin, args } = wanted;
  const call: ApprovedCall = { tool, toolHash: pin.hash, argsHash: argsHash(env.digest, args) };
  const approval = openStep(run, stepId)?.approval;
  if (approval !== undefined) {
    const cause = voidedBy(approval, call, env.now);
    if (cause === null) return { leave: 'given', approvalSeq: approval.seq };
    record(draft, runEvent('ApprovalVoided', { stepId, attempt: wanted.attempt, approvalSeq: approval.seq, cause }));
  }
  const problem = callProblem(args) ?? unshowable(args);
  if (problem !== null) return { leave: 'impossible', problem };
  if (!mayAsk()) return { leave: 'put_off' };
  return { leave: 'asked', weight: askPerson(draft, asked(wanted, call, rule), env) };
};

const voidedBy = (
  approval: Approval,
  call: ApprovedCall,
  now: number,
): RunEventData<'ApprovalVoided'>['cause'] | null => {
  if (approval.tool !== call.tool || approval.toolHash !== call.toolHash) return 'tool_changed';
  if (approval.argsHash !== call.argsHash) return 'arguments_changed';
  return now >= approval.usableUntil ? 'not_used_in_time' : null;
};

const unshowable = (args: Json): Problem | null => {
  const problem = contextProblem(args);
  return problem === null ? null : { code: 'too_large_to_approve', message: `the call's arguments: ${problem}` };
};

const asked = ({ stepId, attempt, tool, args }: NewAttempt, approves: ApprovedCall, rule: ApprovalRule): Asked =>
  ({
    stepId,
    attempt,
    kind: 'approval',
    doubtSeq: null,
    question: `May step ${stepId} call ${tool} with these arguments?`,
    choices: ['approve', 'reject'],
    context: { tool, args },
    approves,
    usableMs: rule.usableMs ?? DEFAULTS.approvalMs,
    ...(rule.onSilence === undefined ? {} : { onSilence: rule.onSilence }),
    asking: rule,
  }) as Asked;
