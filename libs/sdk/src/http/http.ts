import type { Retry } from '../tool/tool-failure.js';
import type { RefuseAddress } from './addresses.js';

/** What a request may say. `json` is sent as JSON with its content type; give it or `body`. */
export type ToolRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
  /** Shorter than the call's deadline; it ends with whichever comes first. */
  readonly timeoutMs?: number;
  /** Statuses that are answers and not errors, beside 2xx; `any` leaves it to the tool to judge every answer. */
  readonly accept?: readonly number[] | 'any';
  /**
   * The server promises that a 4xx answer means that it changed nothing: such an answer is then a `ToolFailure` with
   * effect `none`. 408 stays unknown.
   */
  readonly clientErrorsChangeNothing?: boolean;
  /**
   * Whether another try can help, by status. Without it: `later` for 408, 425, 429 and 5xx, not before the time that
   * `Retry-After` names; `never` for every other 4xx.
   */
  readonly retryOn?: Readonly<Record<number, Retry>>;
  /** Largest body to accept, bytes; default 8 MiB. */
  readonly bytesMax?: number;
  /**
   * Says why no connection may be made to an IP address, or undefined. It is asked of every address that the name of the
   * host stands for before one is connected to, and of the one that the connection is to before anything is sent.
   */
  readonly refuseAddress?: RefuseAddress;
};

/** An answer, read whole. */
export type ToolResponse = {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  text(): Promise<string>;
  json(): Promise<unknown>;
};

/**
 * Sends one HTTP request, once: no retries, no redirects. Asks the guard right before the first byte, closes the
 * socket at the deadline and on abort. Rejects with
 * - `ToolFailure` (retry `later`, effect `none`) when nothing was sent: name or port not found, guard refused;
 * - `HttpError` when it was sent and there is no good answer: for a tool with effects that is `unknown`.
 */
export type ToolFetch = (url: string | URL, request?: ToolRequest) => Promise<ToolResponse>;

// A tool may bring its own copy of this library, whose class is another one.
const BRAND = Symbol.for('holdfast.http-error');

/** Whether a thrown value is an `HttpError`, also one of another copy of this library. */
export const isHttpError = (error: unknown): error is HttpError =>
  typeof error === 'object' && error !== null && BRAND in error;

/** A request was sent and what it did is not known, or it was answered with an error. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly [BRAND] = true;
  /** Whether another try can help, and when at the earliest, where the call is known to harm nothing. */
  readonly retry: Retry;
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    /** `http_<status>`, `timeout`, `aborted`, `response_too_large`, or the code of the network error. */
    readonly code: string,
    readonly status: number | null,
    options: { readonly cause?: unknown; readonly retry?: Retry; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retry = options.retry ?? 'later';
    this.retryAfterMs = options.retryAfterMs;
  }
}
