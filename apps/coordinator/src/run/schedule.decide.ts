import {
  argsHash,
  escalationOf,
  hasEffect,
  idempotencyKey,
  isRecovering,
  runEvent,
  type LiveRun,
  type StepState,
  type ToolPin,
} from '@holdfast/events';
import { argsOf, ready, stepAt, type Json } from '@holdfast/programs';
import { isStopping, keyWindowOpen, pinOf } from './attempts.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env, QueueView } from './env.js';
import { openEscalation } from './escalation.decide.js';
import { deathsMaxOf, triesMaxOf } from './retry.js';

/** Places left while one batch is decided. Changed by scheduling. */
export type Budget = {
  /** Attempts that may still be put into each queue. */
  readonly room: Map<string, number>;
  /** Events that may still be added for this run in this pass. */
  steps: number;
  /** Spreads attempts over partitions. */
  spread: number;
  /** Set when a step had to wait for a place, an executor or a hold: the run is asked again later. */
  starved: boolean;
};

/** Schedules what may run now: new attempts of open steps first, then steps that have become ready. */
export const schedule = (draft: RunDraft, env: Env, budget: Budget): void => {
  const run = liveRun(draft);
  if (run === undefined || isStopping(run)) return;
  for (const step of Object.values(run.steps)) {
    if (budget.steps <= 0) return;
    again(draft, step, env, budget);
  }
  scheduleReady(draft, env, budget);
};

const again = (draft: RunDraft, step: StepState, env: Env, budget: Budget): void => {
  const run = liveRun(draft);
  if (run === undefined || escalationOf(run, step.stepId) !== undefined) return;
  if (step.dueAt !== null && step.dueAt > env.now) return;
  if (step.policy === 'pure') return againPure(draft, run, step, env, budget);
  if (step.attempts.some((attempt) => attempt.status !== 'doubtful')) return;
  const { stepId } = step;
  if (step.deaths >= deathsMaxOf(run, stepId)) return openEscalation(draft, step, 'quarantine', env);
  if (step.doubt !== null) {
    const settling = step.policy === 'keyed' && keyWindowOpen(env, run, step, env.now + env.settings.startByMs);
    if (settling) tryAttempt(draft, { run, step, settling: true }, env, budget);
    return;
  }
  if (step.tries >= triesMaxOf(run, stepId)) return openEscalation(draft, step, 'exhausted', env);
  if (env.rules.hold && hasEffect(step.policy) && isRecovering(run)) return void (budget.starved = true);
  tryAttempt(draft, { run, step, settling: false }, env, budget);
};

/** A pure attempt is never closed and never in doubt: when its time is over another one is made beside it. */
const againPure = (draft: RunDraft, run: LiveRun, step: StepState, env: Env, budget: Budget): void => {
  const attempt = step.attempts[0];
  const over = attempt === undefined || env.now >= attempt.startBy + attempt.timeoutMs + env.settings.graceMs;
  if (over || step.dueAt !== null) tryAttempt(draft, { run, step, settling: false }, env, budget);
};

type Try = { readonly run: LiveRun; readonly step: StepState; readonly settling: boolean };

const tryAttempt = (draft: RunDraft, { run, step, settling }: Try, env: Env, budget: Budget): void => {
  const args = argsOf(run.program, run.input, run.progress, step.stepId);
  if ('problem' in args) throw new Error(`arguments of the open step ${step.stepId} are gone: ${args.problem}`);
  const pin = pinOf(run, step);
  const place = takePlace(draft, pin, step.tool, { env, budget, free: settling });
  if (place === null) return;
  scheduleAttempt(
    draft,
    { stepId: step.stepId, attempt: step.nextAttempt, tool: step.tool, pin, args: args.args, settling, ...place },
    env,
  );
};

const scheduleReady = (draft: RunDraft, env: Env, budget: Budget): void => {
  const run = liveRun(draft);
  if (run === undefined || budget.steps <= 0) return;
  const held = env.rules.hold && isRecovering(run);
  for (const step of ready(run.program, run.input, run.progress, held ? 4 * budget.steps : budget.steps)) {
    if (step.problem !== undefined) {
      const failure = { code: 'bad_reference', message: step.problem };
      record(
        draft,
        runEvent('StepFailed', {
          stepId: step.stepId,
          attempt: 0,
          session: null,
          failure,
          final: true,
          effect: 'none',
        }),
      );
      return;
    }
    const tool = stepAt(run.program, step.stepId).tool;
    const pin = run.tools[tool];
    if (pin === undefined) throw new Error(`run ${run.runId} has no tool ${tool}`);
    if (held && hasEffect(pin.policy)) {
      budget.starved = true;
      continue;
    }
    const place = takePlace(draft, pin, tool, { env, budget, free: false });
    if (place === null) continue;
    scheduleAttempt(
      draft,
      { stepId: step.stepId, attempt: 0, tool, pin, args: step.args, settling: false, ...place },
      env,
    );
    if (budget.steps <= 0) return void (budget.starved = true);
  }
};

type Place = { readonly partition: number; readonly claimsFrom: number };
type Ask = { readonly env: Env; readonly budget: Budget; readonly free: boolean };

/** A partition served by somebody who has the tool, and a place in the queue; null when the run has to wait. */
const takePlace = (draft: RunDraft, pin: ToolPin, tool: string, { env, budget, free }: Ask): Place | null => {
  const queue = env.fleet.queues[pin.queue];
  const served = queue !== undefined && queue.tools.has(tool) && queue.partitions.length > 0;
  if (!served) {
    budget.starved = true;
    const waiting = liveRun(draft)?.waiting;
    const waitingFor = `an executor that serves ${tool} on queue ${pin.queue}`;
    if (waiting?.waitingFor !== waitingFor) record(draft, runEvent('RunWaiting', { waitingFor, since: env.now }));
    return null;
  }
  const room = budget.room.get(pin.queue) ?? 0;
  // An attempt that settles a doubt is outside window and share: others may wait for it.
  if (!free && room <= 0) return ((budget.starved = true), null);
  if (!free) budget.room.set(pin.queue, room - 1);
  budget.steps -= 1;
  return pick(queue, budget);
};

const pick = (queue: QueueView, budget: Budget): Place => {
  const { partition, claimsEnd } = queue.partitions[
    budget.spread++ % queue.partitions.length
  ] as QueueView['partitions'][number];
  return { partition, claimsFrom: claimsEnd };
};

type NewAttempt = Place & {
  readonly stepId: string;
  readonly attempt: number;
  readonly tool: string;
  readonly pin: ToolPin;
  readonly args: Json;
  readonly settling: boolean;
};

const scheduleAttempt = (draft: RunDraft, wanted: NewAttempt, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined) return;
  const { stepId, attempt, tool, pin, args, settling, partition, claimsFrom } = wanted;
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
      argsHash: argsHash(env.digest, args),
      claimsFrom,
      settling,
      // What settles a doubt inherits what was reserved for the attempt that it settles.
      reservation: settling ? {} : { steps: attempt === 0 ? 1 : 0, effects: hasEffect(pin.policy) ? 1 : 0 },
    }),
  );
};
