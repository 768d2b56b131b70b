export type Retry = 'now' | 'later' | 'never';
export type FailureEffect = 'none' | 'unknown';

export type ToolFailureOptions = {
  /** For programs; lower case with underscores. Default `tool_failed`. */
  readonly code?: string;
  /** Whether another try can help: at once, after a pause, or not at all. */
  readonly retry: Retry;
  /** `none` is a promise that this call changed nothing outside. When in doubt, say `unknown`. */
  readonly effect: FailureEffect;
  /** Not to be called again earlier, ms from now. The waiting uses no try: it says when it can help, not that it failed. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
};

// A tool may bring its own copy of this library, whose class is another one.
const BRAND = Symbol.for('holdfast.tool-failure');

/** How a tool says that it failed. Anything else that a tool with effects throws leaves its effect in doubt. */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure';
  readonly [BRAND] = true;
  readonly code: string;
  readonly retry: Retry;
  readonly effect: FailureEffect;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ToolFailureOptions) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    if (!isRetry(options?.retry) || !isEffect(options?.effect)) {
      throw new TypeError(
        `a ToolFailure needs { retry: 'now' | 'later' | 'never', effect: 'none' | 'unknown' } beside its message`,
      );
    }
    if (options.retryAfterMs !== undefined && !isWait(options.retryAfterMs)) {
      throw new TypeError(`retryAfterMs of a ToolFailure must be a number of ms, 0 or more`);
    }
    this.code = options.code ?? 'tool_failed';
    this.retry = options.retry;
    this.effect = options.effect;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export type GuardReason = 'deadline' | 'start_by' | 'aborted' | 'lease' | 'stopping';

/** Thrown by `context.guard()`: the effect must not begin any more. Let it pass through. */
export class GuardRefused extends ToolFailure {
  override readonly name = 'GuardRefused';
  constructor(
    readonly reason: GuardReason,
    effect: FailureEffect,
  ) {
    super(`the call may not act any more: ${REASONS[reason]}`, { code: 'guard_refused', retry: 'later', effect });
  }
}

const REASONS: Readonly<Record<GuardReason, string>> = {
  deadline: 'its deadline has passed',
  start_by: 'it was to start earlier',
  aborted: 'its run was stopped',
  lease: 'its session has not been heard of for too long',
  stopping: 'its worker is stopping',
};

/** Whether a thrown value is a `ToolFailure`, also one of another copy of this library. */
export const isToolFailure = (error: unknown): error is ToolFailure => {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  const { retry, effect } = error as { retry?: unknown; effect?: unknown };
  return isRetry(retry) && isEffect(effect);
};

const isRetry = (value: unknown): value is Retry => value === 'now' || value === 'later' || value === 'never';
export const isWait = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isEffect = (value: unknown): value is FailureEffect => value === 'none' || value === 'unknown';
