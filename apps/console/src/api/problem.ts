import { problemSchema, type Problem } from '@holdfast/api';

/** A request that did not lead to what was asked for. What it holds is made to be shown. */
export class ApiProblem extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
    this.name = 'ApiProblem';
  }
}

const made = (code: string, status: number, title: string, said: { detail: string; advice: string }): Problem => ({
  type: 'about:blank',
  title,
  status,
  code,
  ...said,
});

/** Nobody answered at all. */
export const unreachable = (): Problem =>
  made('unreachable', 0, 'The gateway does not answer', {
    detail: 'No answer came from the address that this page was loaded from.',
    advice:
      'Check that the gateway runs and that this machine can reach it. The page goes on by itself when it is back.',
  });

/** An answer that is none of ours. */
export const unreadable = (path: string, what: string): Problem =>
  made('unexpected_answer', 0, 'The answer cannot be read', {
    detail: `${path} was answered in a form that this page does not know: ${what}`,
    advice: 'Page and gateway are of different versions, most likely: load the page again.',
  });

/** What an answer with an error status says, in whatever form it came. */
export const problemOf = (status: number, body: unknown): Problem => {
  const told = problemSchema.safeParse(body);
  if (told.success) return told.data;
  return made('http_error', status, `The gateway answered ${status}`, {
    detail: typeof body === 'string' && body.trim() !== '' ? body.slice(0, 500) : 'It gave no reason.',
    advice:
      status >= 500 ? 'Try again; the log of the gateway says more.' : 'Load the page again; the address may be wrong.',
  });
};

/** Any error as something that can be shown. */
export const asProblem = (error: unknown): Problem => {
  if (error instanceof ApiProblem) return error.problem;
  return made('page_error', 0, 'This page has failed', {
    detail: error instanceof Error ? error.message : String(error),
    advice: 'Load the page again. If it stays like this, report it with what you did.',
  });
};
