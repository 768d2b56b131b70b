import type { RunEventData } from '@holdfast/events';
import type { Watched } from '@holdfast/sdk';
import { EXIT, runNotFound, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';

export type WatchArguments = {
  /** Waits for a run that nobody knows yet. */
  readonly wait?: boolean;
  /** Goes on after the end until no effect is in doubt any more. */
  readonly settled?: boolean;
};

/** A run that is there shows itself sooner than this; only otherwise is it looked for. */
const FIRST_MS = 1_500;

/** Prints what happens in a run until it ends. */
export const watch = async (session: Session, runId: string, options: WatchArguments): Promise<ExitCode> => {
  const { output } = session;
  const interrupted = session.interrupted();
  const done = new AbortController();
  const signal = AbortSignal.any([interrupted, done.signal]);
  const client = await session.client();
  const events = client.watch(runId, { signal, beyondEnd: options.settled ?? false })[Symbol.asyncIterator]();
  let end: RunEventData<'RunEnded'> | null = null;
  try {
    let next = events.next();
    if (options.wait !== true) await mustExist(session, runId, { first: next, signal });
    for (let item = await next; item.done !== true; item = await next) {
      const { record, run } = item.value;
      output.event(record);
      if (record.event.type === 'RunEnded') end = record.event.data;
      if (end !== null && isOver(run, options)) break;
      next = events.next();
    }
  } finally {
    // A generator that waits for the next event ends only when its signal says so.
    done.abort();
    await events.return?.();
  }
  if (end === null && interrupted.aborted) output.say(`Stopped watching run ${runId}, which goes on.`);
  return concluded(session, end);
};

const mustExist = async (
  session: Session,
  runId: string,
  { first, signal }: { readonly first: Promise<IteratorResult<Watched>>; readonly signal: AbortSignal },
): Promise<void> => {
  const { namespace } = session;
  if (await within(first, FIRST_MS)) return;
  if (signal.aborted) return;
  const { records } = await (await session.client()).readRun(runId);
  if (records.length === 0) throw runNotFound(runId, namespace);
};

const within = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
};

const isOver = (run: Watched['run'], { settled }: WatchArguments): boolean =>
  settled !== true || run === undefined || run.status === 'ended';

const concluded = ({ output }: Session, end: RunEventData<'RunEnded'> | null): ExitCode => {
  if (end === null) return EXIT.ok;
  if (end.output !== undefined) output.say(`Output: ${JSON.stringify(end.output)}`);
  return end.reason === 'succeeded' ? EXIT.ok : EXIT.notSucceeded;
};
