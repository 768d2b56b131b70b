export { anthropicModel, type AnthropicOptions } from './anthropic/anthropic.js';
export { modelFailures, type ModelFailureCode } from './failures.js';
export type { ModelKey } from './key.js';
export type { CompleteOptions, Model, Used } from './model.js';
export { openAiModel, type OpenAiOptions } from './openai/openai.js';
export { askModel, type AskedWith } from './tool/ask-model.js';
export { modelTool, type ModelToolOptions } from './tool/model-tool.js';
export type { Prices } from './tool/price.js';
export { httpFetch, type Fetch } from './wire/http-fetch.js';
