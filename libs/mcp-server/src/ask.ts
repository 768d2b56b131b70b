import type { AnswerOf, Problem, Route } from '@holdfast/api';

type Value = string | number | readonly string[];
export type Asked = {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, Value>>;
  readonly body?: object;
};

/**
 * Asks one thing of the gateway, as whoever calls: over HTTP or beside its controllers. The answer is one that the route
 * promises. Rejects with `AskFailed`, whatever kept it from being done.
 */
export type Ask = <const R extends Route>(route: R, asked?: Asked) => Promise<AnswerOf<R>>;

/** What is answered in the place of what was asked for. */
export type Failure = Pick<Problem, 'code' | 'detail'> & Partial<Pick<Problem, 'advice' | 'errors' | 'details'>>;

export class AskFailed extends Error {
  override readonly name = 'AskFailed';
  constructor(readonly failure: Failure) {
    super(failure.detail);
  }
}

/** Without what was not said. */
export const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
