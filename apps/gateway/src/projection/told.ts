import type { HistoryRecord, RunEvent } from '@holdfast/events';

/** A valid record of history, with its place in the log and the time that the broker gave it. */
export type Told = { readonly record: HistoryRecord; readonly offset: number; readonly at: number };

/** The same about a run. */
export type ToldOfRun = {
  readonly event: RunEvent;
  readonly lane: number;
  readonly seq: number;
  readonly offset: number;
  readonly at: number;
  readonly principal: string | null;
};
