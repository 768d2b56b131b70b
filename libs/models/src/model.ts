import type { ModelReply, ModelRequest } from '@holdfast/programs';

/** What is known of the tokens that a call has used. `final`: the endpoint has said that there are no more. */
export type Used = { readonly tokensIn: number; readonly tokensOut: number; readonly final: boolean };

export type CompleteOptions = {
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** When the answer must be there, epoch ms. */
  readonly deadline: number;
  /** The same for every try of this call; sent as `idempotency-key`. Nothing rests on an endpoint that heeds it. */
  readonly key: string;
  /** Called right before the request leaves, with nothing awaited in between; what it throws stops the request. */
  readonly beforeSend?: () => void;
  /** The text of the answer, piece by piece, as it comes. */
  readonly onText?: (delta: string) => void;
  /** The latest that is known; also told where the call fails afterwards. Never called where the endpoint does not say. */
  readonly onUsed?: (used: Used) => void;
  /** As W3C Trace Context writes it; sent along. */
  readonly traceparent?: string | undefined;
};

/**
 * A model behind some endpoint. An implementation sends the whole request once and never by itself again, keeps nothing
 * from one call for the next, and rejects with nothing but what `beforeSend` has thrown and a `ToolFailure` whose code is
 * one of `modelFailures`. That the model will not answer, was cut off or had no room is an answer and no failure.
 */
export type Model = {
  /** For people: which model of which endpoint. */
  readonly label: string;
  complete(request: ModelRequest, options: CompleteOptions): Promise<ModelReply>;
};
