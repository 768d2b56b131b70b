import type { Usage } from '@holdfast/events';
import { modelReplySchema, modelRequestSchema, type ModelReply, type ModelRequest } from '@holdfast/programs';
import { defineTool, systemClock, type Tool, type ToolContext } from '@holdfast/sdk';
import type { Model, Used } from '../model.js';
import { costOf, priceOf, type Prices } from './price.js';
import { ToldText } from './told-text.js';

export type ModelToolOptions = {
  readonly name: string;
  readonly version: string;
  readonly model: Model;
  /** How long one call may take, ms. */
  readonly timeoutMs: number;
  readonly description?: string;
  readonly queue?: string;
  /** What one call may use at most, reserved before it. Money is worked out of tokens and prices where it is not said. */
  readonly cost?: Usage;
  /** What tokens cost. Without it no money is counted. */
  readonly prices?: Prices;
};

/**
 * A model as a tool: arguments are a `ModelRequest`, the result is a `ModelReply`. It is `repeatable`: to ask again costs,
 * and harms nothing. What a call has used is counted as soon as the endpoint says it.
 */
export const modelTool = (options: ModelToolOptions): Tool<ModelRequest, ModelReply> => {
  const { name, version, model, timeoutMs, queue, prices } = options;
  const cost = costOf(options.cost, prices);
  return defineTool({
    name,
    version,
    description: options.description ?? `Asks the ${model.label} for its next message.`,
    input: modelRequestSchema,
    output: modelReplySchema,
    replay: 'repeatable',
    timeoutMs,
    ...(queue === undefined ? {} : { queue }),
    ...(cost === undefined ? {} : { cost }),
    run: (request, context) => ask(request, context, { model, cost, prices }),
  });
};

type Means = { readonly model: Model; readonly cost: Usage | undefined; readonly prices: Prices | undefined };

const ask = async (request: ModelRequest, context: ToolContext, means: Means): Promise<ModelReply> => {
  const told = new ToldText(
    (value) => context.progress(value),
    () => systemClock.monotonic(),
  );
  let used: Used | null = null;
  try {
    return await means.model.complete(request, {
      signal: context.signal,
      deadline: context.deadline,
      key: context.key,
      traceparent: context.traceparent,
      beforeSend: () => context.guard(),
      onText: (delta) => told.add(delta),
      onUsed: (latest) => (used = latest),
    });
  } finally {
    if (used !== null) context.spend(spentBy(used, means));
  }
};

/** What is known to be used. Of an answer that broke off it is not known how long it was: that counts as all it could be. */
const spentBy = ({ tokensIn, tokensOut, final }: Used, { cost, prices }: Means): Usage => {
  const tokens = { tokensIn, tokensOut: final ? tokensOut : Math.max(tokensOut, cost?.tokensOut ?? 0) };
  return prices === undefined ? tokens : { ...tokens, money: priceOf(tokens, prices) };
};
