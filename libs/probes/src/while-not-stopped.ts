import { describeError, isToolFailure, ToolFailure, type ToolContext } from '@holdfast/sdk';

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
 * The same for a call that makes its effect through this guard and in no other way. Whatever goes wrong before has done
 * nothing, `meaning` says what; and what goes on after a stop is refused at the guard.
 */
export const stoppable = async <T>(
  context: ToolContext,
  work: (guard: () => void) => Promise<T>,
  meaning: (error: Error) => ToolFailure = notDone,
): Promise<T> => {
  let begun = false;
  const guard = (): void => {
    context.guard();
    begun = true;
  };
  try {
    return await whileNotStopped(context.signal, work(guard));
  } catch (error) {
    if (begun || isToolFailure(error)) throw error;
    throw context.signal.aborted ? notDone(error as Error) : meaning(error as Error);
  }
};

const notDone = (error: Error): ToolFailure => {
  const { code, message } = describeError(error);
  return new ToolFailure(`nothing was done: ${message}`, { code, retry: 'later', effect: 'none', cause: error });
};
