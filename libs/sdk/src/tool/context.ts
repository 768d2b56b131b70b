import { addAmounts, usageAmounts, usageSchema, type Amounts, type Usage } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { z } from 'zod';
import { createFetch } from '../http/create-fetch.js';
import { EffectLedger } from '../http/effect-ledger.js';
import type { Logger } from '../ports.js';
import { knownSecrets } from '../secrets/secrets.js';
import type { ToolContext, ToolQuestion } from './tool.js';
import type { GuardReason } from './tool-failure.js';

/** What whoever calls a tool knows about the call. */
export type CallFrame = {
  readonly key: string;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** Epoch ms. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /**
   * Why no effect may begin at this very moment, or null: asked synchronously right before each. The deadline and the
   * signal are looked at besides.
   */
  readonly refusal: () => GuardReason | null;
  readonly progress: (value: Json) => void;
  readonly logger: Logger;
  /** Epoch ms. */
  readonly now: () => number;
  /** What is left of the run's limits, as far as the coordinator has said. */
  readonly budget?: Amounts | undefined;
  readonly traceparent?: string | undefined;
};

export type OpenContext = {
  readonly context: ToolContext;
  /** To be called when the tool has returned or thrown: what it left running may not begin an effect any more. */
  readonly close: () => void;
  /** What the tool says to have used; undefined where it says nothing. */
  readonly used: () => Amounts | undefined;
};

/** The context of one call. */
export const openContext = (frame: CallFrame): OpenContext => {
  const { key, runId, stepId, attempt, deadline, signal, logger, now, traceparent } = frame;
  const ledger = new EffectLedger(() => {
    if (now() >= deadline) return 'deadline';
    return frame.refusal() ?? (signal.aborted ? 'aborted' : null);
  });
  let used: Amounts | undefined;
  const context: ToolContext = {
    key,
    signal,
    guard: () => ledger.begin(),
    runId,
    stepId,
    attempt,
    deadline,
    progress: (value) => frame.progress(knownSecrets.maskJson(value)),
    logger,
    spend: (usage) => void (used = addAmounts(used ?? {}, usageAmounts(checkedUsage(usage)))),
    budget: frame.budget ?? {},
    ...(traceparent === undefined ? {} : { traceparent }),
    fetch: createFetch({ signal, deadline, ledger, now, traceparent }),
  };
  return { context, close: () => ledger.close(), used: () => used };
};

const checkedUsage = (usage: Usage): Usage => {
  const checked = usageSchema.safeParse(usage);
  if (checked.success) return checked.data;
  throw new TypeError(`context.spend: ${z.prettifyError(checked.error)}`);
};

export type QuestionFrame = Pick<CallFrame, 'key' | 'signal' | 'deadline' | 'logger' | 'now' | 'traceparent'>;

/** What a tool is given when it is asked about an earlier call. `deadline` bounds its requests, epoch ms. */
export const openQuestion = (frame: QuestionFrame): ToolQuestion => {
  const { key, signal, deadline, logger, now, traceparent } = frame;
  const ledger = new EffectLedger(() => null);
  const traced = traceparent === undefined ? {} : { traceparent };
  return { key, signal, logger, ...traced, fetch: createFetch({ signal, deadline, ledger, now, traceparent }) };
};
