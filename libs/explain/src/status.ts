import { standingOf, standings, type RunState, type Standing } from '@holdfast/events';

export const statuses = standings;
export type Status = Standing;

/** Where a run stands as of the moment of its last record, in one word, as lists have it. */
export const statusOf = (run: RunState, at: number): Status => standingOf(run, at).status;
