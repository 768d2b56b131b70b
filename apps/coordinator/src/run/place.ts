import {
  canonicalJson,
  idempotencyKey,
  isWithinDepth,
  LIMITS,
  reservationOf,
  runEvent,
  type Amounts,
  type LiveRun,
  type ToolPin,
} from '@holdfast/events';
import { agentStepAt, holdsOmitted, stepAt, type Json } from '@holdfast/programs';
import { reservationFor, shortOf, type Short } from './budget.decide.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env, ServedPartition } from './env.js';

/** Places left while one batch is decided. Changed by scheduling. */
export type Budget = {
  /** Attempts that may still be put into each queue. */
  readonly room: Map<string, number>;
  /** Steps that may still be scheduled for this run in this pass. */
  steps: number;
  /** Events of one kind to which claims, losses and time may lead for this run in this pass. */
  readonly notes: number;
  /** Spreads attempts over partitions. */
  spread: number;
  /** Set when a step had to wait for a place or an executor: the run is asked again when there may be one. */
  starved: boolean;
  /** Set when the pass ended before all was decided: the run is asked again at once. */
  more: boolean;
};

export type NewAttempt = {
  readonly stepId: string;
  readonly attempt: number;
  readonly tool: string;
  readonly pin: ToolPin;
  readonly args: Json;
  readonly settling: boolean;
  /** The approval that it is made under. */
  readonly approvalSeq?: number;
};

export type Scheduled =
  | { readonly outcome: 'scheduled' | 'waits' }
  /** Nobody serves the tool. */
  | { readonly outcome: 'unserved'; readonly missing: string }
  /** What it may use is not left. */
  | { readonly outcome: 'short'; readonly short: Short }
  /** No call can be made with these arguments. */
  | { readonly outcome: 'impossible'; readonly problem: { readonly code: string; readonly message: string } };

type Asking = { readonly draft: RunDraft; readonly env: Env; readonly budget: Budget };

/** Schedules an attempt on a partition that somebody serves, if the queue has a place. */
export const scheduleAttempt = ({ draft, env, budget }: Asking, wanted: NewAttempt): Scheduled => {
  const { tool, pin, settling } = wanted;
  const served = env.fleet.queues[pin.queue]?.partitions.filter(({ tools }) => tools.has(tool)) ?? [];
  if (served.length === 0) {
    budget.starved = true;
    return { outcome: 'unserved', missing: `an executor that serves ${tool} on queue ${pin.queue}` };
  }
  const room = budget.room.get(pin.queue) ?? 0;
  // An attempt that settles a doubt is outside window and share: others may wait for it.
  if (!settling && room <= 0) return ((budget.starved = true), { outcome: 'waits' });
  const text = canonicalJson(wanted.args);
  const problem = problemOf(wanted.args, text);
  if (problem !== null) return { outcome: 'impossible', problem };
  const run = liveRun(draft);
  const turn = run !== undefined && isTurn(run, wanted.stepId);
  const reservation = reservationFor(pin, wanted.attempt, { settling, turn });
  const held = reservationOf({ reservation, tool, settling });
  const short = run === undefined ? null : shortOf(run, wanted.stepId, held, env);
  if (short !== null) return { outcome: 'short', short };
  if (!settling) budget.room.set(pin.queue, room - 1);
  budget.steps -= 1;
  put(draft, { ...wanted, ...pick(served, budget), argsHash: env.digest(text), reservation }, env);
  return { outcome: 'scheduled' };
};

const isTurn = ({ program }: LiveRun, stepId: string): boolean => agentStepAt(program, stepId)?.name === 'model';

const pick = (
  served: readonly ServedPartition[],
  budget: Budget,
): { readonly partition: number; readonly claimsFrom: number } => {
  const { partition, claimsEnd } = served[budget.spread++ % served.length] as ServedPartition;
  return { partition, claimsFrom: claimsEnd };
};

/** Why no call can be made with these arguments. */
export const callProblem = (args: Json): Problem | null => problemOf(args, canonicalJson(args));

type Problem = { readonly code: string; readonly message: string };

const problemOf = (args: Json, text: string): Problem | null => {
  if (holdsOmitted(args)) {
    return { code: 'result_too_large', message: 'an argument is a result that was too large to be kept' };
  }
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LIMITS.argsBytes) {
    return {
      code: 'args_too_large',
      message: `the arguments have ${bytes} bytes; at most ${LIMITS.argsBytes} are allowed`,
    };
  }
  if (isWithinDepth(args, LIMITS.valueDepth)) return null;
  return { code: 'args_too_deep', message: `the arguments have more than ${LIMITS.valueDepth} levels` };
};

type Placed = NewAttempt & {
  readonly partition: number;
  readonly claimsFrom: number;
  readonly argsHash: string;
  readonly reservation: Amounts;
};

const put = (draft: RunDraft, placed: Placed, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const { stepId, attempt, tool, pin, settling, partition, claimsFrom, argsHash, approvalSeq, reservation } = placed;
  const timeoutMs = Math.min(pin.timeoutMs, stepAt(run.program, stepId).timeoutMs ?? pin.timeoutMs);
  record(
    draft,
    runEvent('StepScheduled', {
      stepId,
      attempt,
      tool,
      policy: pin.policy,
      queue: pin.queue,
      partition,
      scheduledAt: env.now,
      startBy: env.now + env.settings.startByMs,
      timeoutMs,
      key: idempotencyKey(run.runKey, stepId),
      argsHash,
      claimsFrom,
      settling,
      ...(approvalSeq === undefined ? {} : { approvalSeq }),
      reservation,
    }),
  );
};
