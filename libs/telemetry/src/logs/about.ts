import type { Logger } from '@holdfast/sdk';

/** What a line is about, by the same names in every service. Arguments, inputs and results have no place in a log. */
export type LogBindings = {
  readonly runId?: string;
  readonly stepId?: string;
  readonly attemptId?: string;
  readonly lane?: number;
  readonly traceId?: string;
};

/** A logger whose lines all say what they are about. */
export const about = (logger: Logger, bindings: LogBindings): Logger => ({
  debug: (fields, message) => logger.debug({ ...bindings, ...fields }, message),
  info: (fields, message) => logger.info({ ...bindings, ...fields }, message),
  warn: (fields, message) => logger.warn({ ...bindings, ...fields }, message),
  error: (fields, message) => logger.error({ ...bindings, ...fields }, message),
});
