import type { Json, ModelRequest } from '@holdfast/programs';

export const endpoints = ['openai', 'anthropic'] as const;
export type EndpointName = (typeof endpoints)[number];

/** A request as a script sees it, whichever of the two APIs it came over. */
export type Asked = ModelRequest & {
  readonly endpoint: EndpointName;
  readonly model: string;
  readonly stream: boolean;
  /** The `idempotency-key` that it came with. */
  readonly key: string | null;
};

/** A call that the model asks for. Without an `id` it gets one that follows from the request. */
export type ScriptedCall = { readonly id?: string; readonly name: string; readonly arguments: Json };

export type ScriptedReply = {
  readonly text?: string;
  /** Arguments that are a text are sent as they are, so that they may be no JSON. */
  readonly calls?: readonly ScriptedCall[];
  /** Without it `calls` where there are some, else `answer`. Any other word is sent as it is. */
  readonly finish?: string;
  /** Without it counted out of lengths, see `usage.ts`. */
  readonly usage?: Usage;
  /** Before anything is said. */
  readonly delayMs?: number;
  /** Before each event of a stream. */
  readonly eventDelayMs?: number;
};
export type Usage = { readonly tokensIn: number; readonly tokensOut: number };

/** What an endpoint does instead of answering. */
export type ScriptedFault = { readonly delayMs?: number } & (
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      /** `code` of the one API, `type` of the other. */
      readonly code?: string;
    }
  /** Takes the request and never says anything. */
  | { readonly fault: 'hang' }
  /** Resets the connection, before anything was said or after the head and the beginning of the body. */
  | { readonly fault: 'reset'; readonly when: 'before-head' | 'after-head' }
  /** Sends so many events of the stream of `reply` and no more. `quiet`: as if that were the end. */
  | { readonly fault: 'cut'; readonly events: number; readonly reply: ScriptedReply; readonly quiet?: boolean }
  /** An error event after so many events of the stream of `reply`. */
  | { readonly fault: 'error-event'; readonly events: number; readonly reply: ScriptedReply; readonly code: string }
  | { readonly fault: 'garbage'; readonly body: string; readonly contentType?: string }
);

/**
 * What the model says. A reply must follow from the request alone, so that a repeated request has the same answer; `n`,
 * which counts requests from 1, is for faults.
 */
export type Script = (
  request: Asked,
  n: number,
) => ScriptedReply | ScriptedFault | Promise<ScriptedReply | ScriptedFault>;

export const isFault = (said: ScriptedReply | ScriptedFault): said is ScriptedFault => 'fault' in said;
