import {
  emptyTally,
  type EffectsReport,
  runEvent,
  toolPinSchema,
  type RunEvent,
  type RunEventData,
  type RunEventOf,
  type RunEventType,
} from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import { T0 } from './clock.js';
import { planOf, step } from './plans.js';
import { allTools } from './tools.js';

const ref = { stepId: 'a', attempt: 0 };

/** The report of a run that did nothing. */
export const emptyReport: EffectsReport = {
  ...emptyTally,
  running: [],
  totals: { ...emptyTally.totals, running: 0 },
};

/** The tools of a catalogue as a run pins them. */
export const pinsOf = (tools: typeof allTools): RunEventData<'RunAccepted'>['tools'] =>
  Object.fromEntries([...tools].map(([name, entry]) => [name, toolPinSchema.parse(entry)]));

/** `run-1`: one step `a` with the tool of a policy, unless another plan is told. */
export const accepted = (
  policy: string,
  program: Plan = planOf(step('a', policy)),
  more: Partial<RunEventData<'RunAccepted'>> = {},
): RunEvent =>
  runEvent('RunAccepted', {
    runId: 'run-1',
    requestId: 'submit',
    requestHash: 'hash',
    principal: null,
    labels: {},
    runKey: '0123456789abcdef',
    program,
    input: {},
    tools: pinsOf(allTools),
    acceptedAt: T0,
    deadlineAt: T0 + 1_000_000,
    ...more,
  });

export const scheduled = (policy: string, attempt = 0, more: Partial<RunEventData<'StepScheduled'>> = {}): RunEvent =>
  runEvent('StepScheduled', {
    ...ref,
    attempt,
    tool: `${policy}@1`,
    policy: policy as RunEventData<'StepScheduled'>['policy'],
    queue: 'default',
    partition: 0,
    scheduledAt: T0,
    startBy: T0 + 10_000,
    timeoutMs: 1_000,
    key: '0123456789abcdef/a',
    argsHash: 'hash',
    claimsFrom: 0,
    settling: false,
    reservation: {},
    ...more,
  });

const defaults = {
  AttemptHeld: { ...ref, session: 'S', deadline: T0 + 1_000, claimOffset: 1 },
  AttemptClosed: { ...ref, claimOffset: 1, cause: 'start_by' },
  AttemptSkipped: { ...ref, session: 'S', reason: 'no reason' },
  StepSucceeded: { ...ref, by: 'outcome', session: 'S', result: 'done' },
  DoubtOpened: {
    ...ref,
    cause: 'session_expired',
    session: 'S',
    deadline: T0 + 1_000,
    settledAt: T0 + 1_500,
    settleBy: T0 + 61_500,
    holds: 'run',
    death: true,
  },
  CancelRequested: { requestId: 'cancel', principal: null, reason: '', deadlineAt: T0 + 5_000, mode: 'abort' },
  RunPaused: { requestId: 'pause', principal: null, reason: '', pausedAt: T0 },
  RunEnded: {
    reason: 'cancelled',
    detail: '',
    report: emptyReport,
    endedAt: T0,
  },
} as const;

/** An event with what a scenario does not talk about filled in: step `a`, attempt 0, session `S`. */
export const happened = <T extends keyof typeof defaults & RunEventType>(
  type: T,
  more: Partial<RunEventData<T>> = {},
): RunEvent => runEvent(type, { ...defaults[type], ...more } as RunEventData<T>) as RunEventOf<T> as RunEvent;

/** Histories of `run-1` up to an attempt that is scheduled, held by session `S`, in doubt. */
export const running = (policy: string) => [accepted(policy), scheduled(policy)] as const;
export const held = (policy: string) => [...running(policy), happened('AttemptHeld')] as const;
export const doubtful = (policy: string) => [...held(policy), happened('DoubtOpened')] as const;
