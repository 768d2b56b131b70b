import type { Counted } from '../reply.js';
import type { Asked } from '../script.js';

/** A request as it was read, or the sentence of a 400. */
export type Read =
  { readonly ok: true; readonly asked: Omit<Asked, 'key'> } | { readonly ok: false; readonly problem: string };

export type Refusal = { readonly status: number; readonly message: string; readonly code?: string | undefined };

/** One of the two APIs. */
export type Wire = {
  /** Reads and checks a body, as strictly as the endpoint does. */
  read(body: unknown): Read;
  reply(counted: Counted): unknown;
  /** The same as the events of a stream, each as it is written. */
  events(counted: Counted, body: unknown): readonly string[];
  refusal(refusal: Refusal): unknown;
  errorEvent(code: string): string;
};

export const problemAt = (
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string =>
  issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    .join('; ');
