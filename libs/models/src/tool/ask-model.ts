import type { Usage } from '@holdfast/events';
import type { ModelReply, ModelRequest } from '@holdfast/programs';
import { systemClock, type ToolContext } from '@holdfast/sdk';
import type { Model, Used } from '../model.js';
import { priceOf, type Prices } from './price.js';
import { ToldText } from './told-text.js';

export type AskedWith = {
  readonly model: Model;
  /** What one call may use at most, as the tool has said it. */
  readonly cost?: Usage | undefined;
  readonly prices?: Prices | undefined;
};

/**
 * Asks a model within a call of a tool: with its time, its signal, its guard and its key. Counts what was used as soon as
 * the endpoint says it, also where the call fails afterwards, and tells what is written while it is written.
 */
export const askModel = async (
  request: ModelRequest,
  context: ToolContext,
  { model, cost, prices }: AskedWith,
): Promise<ModelReply> => {
  const told = new ToldText(
    (value) => context.progress(value),
    () => systemClock.monotonic(),
  );
  let used: Used | null = null;
  try {
    return await model.complete(request, {
      signal: context.signal,
      deadline: context.deadline,
      key: context.key,
      traceparent: context.traceparent,
      beforeSend: () => context.guard(),
      onText: (delta) => told.add(delta),
      onUsed: (latest) => (used = latest),
    });
  } finally {
    if (used !== null) context.spend(spentBy(used, cost, prices));
  }
};

/** Of an answer that broke off it is not known how long it was: that counts as all that it could be. */
const spentBy = ({ tokensIn, tokensOut, final }: Used, cost: Usage | undefined, prices: Prices | undefined): Usage => {
  const tokens = { tokensIn, tokensOut: final ? tokensOut : Math.max(tokensOut, cost?.tokensOut ?? 0) };
  return prices === undefined ? tokens : { ...tokens, money: priceOf(tokens, prices) };
};
