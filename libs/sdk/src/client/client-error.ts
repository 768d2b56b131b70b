import type { ReplyMessage } from '@holdfast/contracts';

export type ClientErrorCode =
  | 'unknown_run'
  | 'invalid_request'
  | 'too_large'
  | 'refused'
  | 'no_answer'
  | 'unreachable'
  | 'closed'
  | 'unsound_history';

/** What a request or a reading came to, in words: what happened, to which run, what to do. */
export class ClientError extends Error {
  override readonly name: string = 'ClientError';
  constructor(
    readonly code: ClientErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** What a request is about, in words: a run, or a whole lane. */
export const nameOf = (home: string): string => (home.startsWith('lane/') ? home.replace('/', ' ') : `run ${home}`);

export type Answer = ReplyMessage['data'];

/** The coordinator read the request and said no; `reply` holds its code and details. */
export class RequestRefused extends ClientError {
  override readonly name = 'RequestRefused';
  constructor(readonly reply: Answer) {
    const why = [reply.code, reply.message].filter((part) => part !== undefined).join(': ');
    super('refused', `${nameOf(reply.runId)}: the request was refused${why === '' ? '' : `, ${why}`}`);
  }
}

/** Nobody has answered in time. `landed`: the log has acknowledged the request, so that it will be read all the same. */
export class NoAnswer extends ClientError {
  override readonly name = 'NoAnswer';
  constructor(
    message: string,
    readonly landed: boolean,
  ) {
    super('no_answer', message);
  }
}
