import { ToolFailure, type ToolContext } from '@holdfast/sdk';

/**
 * What a question comes to, or its end by the signal, whichever is first. What was begun goes on and is not waited for.
 */
export const whileNotStopped = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  const over = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(Object.assign(new Error('the call was stopped'), { code: 'aborted' }));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: over.signal });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    over.abort();
  }
};

/**
 * The same for a call that makes its effect through this guard and in no other way: stopped before it, the call has done
 * nothing, and what goes on will be refused there.
 */
export const stoppable = async <T>(context: ToolContext, work: (guard: () => void) => Promise<T>): Promise<T> => {
  let begun = false;
  const guard = (): void => {
    context.guard();
    begun = true;
  };
  try {
    return await whileNotStopped(context.signal, work(guard));
  } catch (error) {
    if (begun || !context.signal.aborted || (error as { code?: unknown }).code !== 'aborted') throw error;
    throw new ToolFailure('the call was stopped before it did anything', {
      code: 'aborted',
      retry: 'later',
      effect: 'none',
    });
  }
};
