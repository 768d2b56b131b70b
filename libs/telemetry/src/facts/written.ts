import type { HistoryRecord, LiveRun, RunState } from '@holdfast/events';

/** A batch that has become history, as its writer knows it. */
export type Written = {
  readonly records: readonly HistoryRecord[];
  /** The run as it was before the batch; undefined where there was none. */
  readonly before: (runId: string) => RunState | undefined;
};

export const liveBefore = ({ before }: Written, runId: string): LiveRun | undefined => {
  const run = before(runId);
  return run === undefined || run.status === 'ended' ? undefined : run;
};
