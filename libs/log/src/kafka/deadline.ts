import { nothing } from '../ending.js';
import type { Ending } from '../ending.js';

/** Something did not come within its time; nothing is known about it. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * The value of `work`, or `DeadlineExceeded` after `ms` or at the end of `ending`. After a blocked event loop timers run before sockets are read,
 * so an answer that already lies in the socket gets one turn of the loop before it counts as late.
 */
export async function within<T>(work: Promise<T>, ms: number, what: string, ending?: Ending): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  let forget = nothing;
  const late = new Promise<never>((_, reject) => {
    forget = ending?.on(() => reject(new DeadlineExceeded(`${what}: closed`))) ?? nothing;
    timer = setTimeout(() => {
      turn = setImmediate(() => reject(new DeadlineExceeded(`${what}: no answer within ${ms} ms`)));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    forget();
    clearTimeout(timer);
    clearImmediate(turn);
  }
}
