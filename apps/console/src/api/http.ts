import type { z } from 'zod';
import { heardServerTime } from '../format/clock.js';
import { principal } from './principal.js';
import { shown, signOut, token } from './session.js';
import { ApiProblem, problemOf, unreachable, unreadable } from './problem.js';

type Asking = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** Every answer is parsed here; nothing behind this line looks at JSON that nobody has checked. */
const ask = async <T>(path: string, schema: z.ZodType<T>, init: Asking): Promise<T> => {
  const before = token();
  const headers = { ...init.headers, ...shown() };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    throw new ApiProblem(unreachable());
  });
  heardServerTime(response.headers.get('date'));
  const text = await response.text();
  const body = bodyOf(text);
  if (!response.ok) {
    const problem = problemOf(response.status, body);
    // Whoever has signed in anew meanwhile stays signed in.
    if (response.status === 401 && before !== null && before === token()) signOut(problem.detail);
    throw new ApiProblem(problem);
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiProblem(unreadable(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'no JSON'}`));
};

const bodyOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const getJson = <T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> =>
  ask(path, schema, { headers: { accept: 'application/json' }, ...(signal === undefined ? {} : { signal }) });

export const postJson = <T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<T> => {
  const name = principal();
  return ask(path, schema, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(name === '' ? {} : { 'x-holdfast-principal': name }),
    },
    body: JSON.stringify(body),
  });
};
