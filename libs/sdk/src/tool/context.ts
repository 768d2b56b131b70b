import type { Json } from '@holdfast/programs';
import { createFetch } from '../http/create-fetch.js';
import { EffectLedger } from '../http/effect-ledger.js';
import type { Logger } from '../ports.js';
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
};

export type OpenContext = {
  readonly context: ToolContext;
  /** To be called when the tool has returned or thrown: what it left running may not begin an effect any more. */
  readonly close: () => void;
};

/** The context of one call. */
export const openContext = (frame: CallFrame): OpenContext => {
  const { key, runId, stepId, attempt, deadline, signal, logger, now } = frame;
  const ledger = new EffectLedger(() => {
    if (now() >= deadline) return 'deadline';
    return frame.refusal() ?? (signal.aborted ? 'aborted' : null);
  });
  const context: ToolContext = {
    key,
    signal,
    guard: () => ledger.begin(),
    runId,
    stepId,
    attempt,
    deadline,
    progress: (value) => frame.progress(value),
    logger,
    fetch: createFetch({ signal, deadline, ledger, now }),
  };
  return { context, close: () => ledger.close() };
};

export type QuestionFrame = Pick<CallFrame, 'key' | 'signal' | 'deadline' | 'logger' | 'now'>;

/** What a tool is given when it is asked about an earlier call. `deadline` bounds its requests, epoch ms. */
export const openQuestion = ({ key, signal, deadline, logger, now }: QuestionFrame): ToolQuestion => {
  const ledger = new EffectLedger(() => null);
  return { key, signal, logger, fetch: createFetch({ signal, deadline, ledger, now }) };
};
