import type { Usage } from '@holdfast/events';
import { modelReplySchema, modelRequestSchema, type ModelReply, type ModelRequest } from '@holdfast/programs';
import { defineTool, type Tool } from '@holdfast/sdk';
import type { Model } from '../model.js';
import { askModel } from './ask-model.js';
import { costOf, type Prices } from './price.js';

export type ModelToolOptions = {
  readonly name: string;
  readonly version: string;
  readonly model: Model;
  /** How long one call may take, ms. */
  readonly timeoutMs: number;
  readonly description?: string | undefined;
  readonly queue?: string | undefined;
  /** What one call may use at most, reserved before it. Money is worked out of tokens and prices where it is not said. */
  readonly cost?: Usage | undefined;
  /** What tokens cost. Without it no money is counted. */
  readonly prices?: Prices | undefined;
};

// Nothing of the endpoint: the same version may not be published with two descriptions.
const DESCRIPTION =
  'Asks a model for its next message: with a transcript, and with the tools that it may ask to be called.';

/**
 * A model as a tool: its arguments are a `ModelRequest`, its result is a `ModelReply`. It is `repeatable`: to ask again
 * costs, and harms nothing.
 */
export const modelTool = (options: ModelToolOptions): Tool<ModelRequest, ModelReply> => {
  const { name, version, model, timeoutMs, queue, prices, description = DESCRIPTION } = options;
  if (typeof (model as Partial<Model> | undefined)?.complete !== 'function')
    throw new TypeError(
      'a model tool needs model: what openAiModel or anthropicModel returns, or an object with complete',
    );
  const cost = costOf(options.cost, prices);
  return defineTool({
    name,
    version,
    description,
    input: modelRequestSchema,
    output: modelReplySchema,
    replay: 'repeatable',
    timeoutMs,
    ...(queue === undefined ? {} : { queue }),
    ...(cost === undefined ? {} : { cost }),
    run: (request, context) => askModel(request, context, { model, cost, prices }),
  });
};
