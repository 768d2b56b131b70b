import type { Problem } from '@holdfast/api';

type Said = Pick<Problem, 'detail' | 'code'> & Partial<Pick<Problem, 'advice' | 'errors' | 'details' | 'requestId'>>;

const titles: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  401: 'Nobody knows who is asking',
  403: 'It is not let in',
  404: 'There is no such thing',
  405: 'The method is not allowed here',
  409: 'It does not fit what is there',
  413: 'The request is too large',
  415: 'The body is not JSON',
  422: 'The request was read and refused',
  429: 'Too many requests',
  500: 'Something went wrong inside',
  503: 'Not possible at the moment',
};

/** What is answered in the place of what was asked for, as RFC 9457 has it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(
    status: number,
    said: Said,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(said.detail);
    const title = titles[status] ?? 'It was not done';
    this.problem = { type: `urn:holdfast:problem:${said.code}`, title, status, ...said };
  }
}

/** Something that was named is not there. */
export const missing = (code: string, detail: string): ProblemError => new ProblemError(404, { code, detail });

/** A run that the gateway does not know, or not yet. */
export const noRun = (runId: string): ProblemError =>
  new ProblemError(404, {
    code: 'unknown_run',
    detail: `There is no run ${runId}, as far as the log is projected.`,
    advice: 'Check the run id. A run that was submitted a moment ago shows up when the projection has come to it.',
  });

export const noQuestion = (runId: string, stepId: string): ProblemError =>
  new ProblemError(404, {
    code: 'unknown_escalation',
    detail: `Step ${stepId} of run ${runId} has asked nothing, as far as the log is projected.`,
    advice: 'GET /v1/questions?run=… says what is asked. Send the signal again once the run has come to that step.',
  });

/** Something that is needed is not there at the moment; it may be asked for again. */
export const unavailable = (code: string, detail: string, more: Pick<Partial<Said>, 'advice' | 'requestId'> = {}) =>
  new ProblemError(503, { code, detail, ...more }, { 'retry-after': '1' });
