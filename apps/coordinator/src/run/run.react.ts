import type { LaneRequest, StepOrder } from '@holdfast/contracts';
import {
  aboutOf,
  acceptedReply,
  attemptId,
  attemptSpan,
  isStopping,
  openStep,
  type LiveRun,
  type Reply,
  type RunEvent,
  type RunEventData,
  type RunState,
  deathsMaxOf,
  mayBeLast,
  traceparentOf,
  type SharedEvent,
  unreachable,
} from '@holdfast/events';
import { argsOf } from '@holdfast/programs';
import {
  cancelChildren,
  stopAccepted,
  submitChild,
  tellAccepted,
  tellEnded,
  tellRefusedChild,
} from '../children/child.react.js';
import { claimKey, returnKey, sendAway, tellAssigned, tellQueued, tellRefused } from '../keys/key.react.js';
import { submitUndo } from '../undo/undo.react.js';
import { keyWindowEnd } from './attempts.js';
import { askReaction, giveReaction, isOver, returnReactions } from './grant.react.js';
import { leftFor } from './left.js';

/** What the rest of the system must be told because an event happened. Derived, never decided; may be told again. */
export type Reaction =
  | { readonly kind: 'command'; readonly queue: string; readonly partition: number; readonly order: StepOrder }
  | {
      readonly kind: 'abort';
      readonly runId: string;
      readonly reason: string;
      readonly mode: 'abort' | 'drain';
      readonly seq: number;
    }
  /** One lane asks another one, with an id that follows from history: at least once, and harmless again. */
  | {
      readonly kind: 'request';
      readonly home: string;
      readonly request: LaneRequest;
      readonly seq: number;
      /** The place of whoever asks in its trace. */
      readonly traceparent?: string;
    }
  | { readonly kind: 'reply'; readonly reply: Reply; readonly seq: number };

export const react = (after: RunState, event: RunEvent, seq: number): readonly Reaction[] =>
  mayBeLast.has(event.type)
    ? [...reactTo(after, event, seq), ...returnReactions(after, seq)]
    : reactTo(after, event, seq);

const reactTo = (after: RunState, event: RunEvent, seq: number): readonly Reaction[] => {
  switch (event.type) {
    case 'RunAccepted':
      return [accepted(after.runId, event, seq), ...begun(after, event.data, seq)];
    case 'EscalationAnswered':
    case 'KillRequested':
    case 'RunPaused':
    case 'RunResumed':
    case 'RunSteered':
      return [accepted(after.runId, event, seq)];
    case 'CancelRequested': {
      const { mode, reason, bulk } = event.data;
      const abort = { kind: 'abort', runId: after.runId, reason, mode, seq } as const;
      // A cancel of many runs is answered once, for all of them.
      return bulk === undefined ? [accepted(after.runId, event, seq), abort] : [abort];
    }
    case 'GrantAsked':
      return after.status === 'ended' || isOver(after) ? [] : [askReaction(after, event.data, seq)];
    case 'StepScheduled':
      return after.status === 'ended' ? [] : command(after, event.data);
    case 'ChildStarted':
      return submitChild(after, event.data, seq);
    case 'CompensationStarted':
      return submitUndo(after, event.data, seq);
    case 'CompensationEnded': {
      const { returns } = event.data;
      return returns === undefined ? [] : [returnKey(after.runId, returns, seq)];
    }
    case 'ChildAccepted':
      return stopAccepted(after, event.data, seq);
    case 'ChildrenStopped':
      return cancelChildren(event.data, seq);
    case 'KeyAwaited':
    case 'KeyGranted':
      return sendAway(after.runId, event.data, seq);
    case 'RunSuperseded':
      return [{ kind: 'abort', runId: after.runId, reason: event.data.detail, mode: 'abort', seq }];
    case 'RunEnded':
      return [...ended(after.runId, event.data, seq), ...tellEnded(after.runId, event.data, seq)];
    default:
      return [];
  }
};

/** What a run that has begun asks for and tells; nothing of that is left to say when it is over. */
const begun = (after: RunState, data: RunEventData<'RunAccepted'>, seq: number): readonly Reaction[] =>
  isOver(after) ? [] : [...claimKey(data, seq), ...tellAccepted(data, seq)];

const ended = (runId: string, { reason, returns }: RunEventData<'RunEnded'>, seq: number): readonly Reaction[] => [
  ...(reason === 'succeeded' ? [] : [{ kind: 'abort', runId, reason, mode: 'abort', seq } as const]),
  ...(returns === undefined ? [] : [returnKey(runId, returns, seq)]),
];

/** What must be told because of an event about what the lane holds beside its runs. */
export const reactShared = (event: SharedEvent, seq: number): readonly Reaction[] => {
  switch (event.type) {
    case 'CancelRemembered':
    case 'BulkCancelRequested':
      return [replyReaction(acceptedReply(event, aboutOf(event)), seq)];
    case 'ChildRefused':
      return tellRefusedChild(event.data, seq);
    case 'KeyAssigned':
      return tellAssigned(event.data, seq);
    case 'KeyQueued':
      return tellQueued(event.data, seq);
    case 'KeyRefused':
      return tellRefused(event.data, seq);
    case 'KeyReturned':
      return [returnKey(event.data.runId, event.data, seq)];
    case 'TenantBudgetSet':
      return [replyReaction(acceptedReply(event, event.data.runId), seq)];
    case 'GrantGiven':
      return [giveReaction(event.data, seq)];
    case 'CancelForgotten':
    case 'GrantQueued':
    case 'GrantSettled':
    case 'GrantForgotten':
    case 'KeyFreed':
    case 'KeyForgotten':
    case 'BulkCancelAdvanced':
    case 'BulkCancelEnded':
      return [];
    default:
      return unreachable(event);
  }
};

export const replyReaction = (reply: Reply, seq: number): Reaction => ({ kind: 'reply', reply, seq });

type Accepting = Parameters<typeof acceptedReply>[0];
const accepted = (runId: string, event: Accepting, seq: number): Reaction =>
  replyReaction(acceptedReply(event, runId), seq);

/** The command for an attempt that is still open; none otherwise, also when a new owner derives it again. */
const command = (run: LiveRun, data: RunEventData<'StepScheduled'>): readonly Reaction[] => {
  const step = openStep(run, data.stepId);
  const open = step?.attempts.some((attempt) => attempt.attempt === data.attempt && attempt.status === 'open');
  // What is being closed need not begin first. A pure call is not closed: it may still be made while the run is paused.
  const paused = run.paused !== null && step?.policy !== 'pure';
  if (step === undefined || !open || isStopping(run) || paused) return [];
  const resolved = argsOf(run.program, run.input, run.progress, data.stepId);
  if ('problem' in resolved) throw new Error(`arguments of ${data.stepId} are gone: ${resolved.problem}`);
  const order: StepOrder = {
    attemptId: attemptId({ runId: run.runId, stepId: data.stepId, attempt: data.attempt }),
    runId: run.runId,
    stepId: data.stepId,
    attempt: data.attempt,
    tool: data.tool,
    toolHash: run.tools[data.tool]?.hash ?? '',
    policy: data.policy,
    args: resolved.args,
    argsHash: data.argsHash,
    key: data.key,
    startBy: data.startBy,
    timeoutMs: data.timeoutMs,
    claimsFrom: data.claimsFrom,
    settling: data.settling,
    alone: step.deaths > 0 && step.deaths + 1 >= deathsMaxOf(run, data.stepId),
    keyValidUntil: data.policy === 'keyed' ? keyWindowEnd(run, step) : null,
    ...leftFor(run, data.scheduledAt),
    ...tracedFor(run, data),
  };
  return [{ kind: 'command', queue: data.queue, partition: data.partition, order }];
};

const tracedFor = (run: LiveRun, { stepId, attempt }: RunEventData<'StepScheduled'>): { traceparent?: string } =>
  run.trace === undefined ? {} : { traceparent: traceparentOf(run.trace, attemptSpan(run, stepId, attempt)) };
