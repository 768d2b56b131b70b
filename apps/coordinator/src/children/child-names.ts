import { cut, runIdSchema, type Digest, type LiveRun } from '@holdfast/events';

/** 0 for a run that no other one has begun. */
export const depthOf = ({ parent }: LiveRun): number => parent?.depth ?? 0;

/** Follows from the run and its step, so that whoever derives it again means the same child. */
export const ticketOf = (run: LiveRun, stepId: string, { digest }: { readonly digest: Digest }): string =>
  digest(`${run.runKey}/${stepId}`).slice(0, 32);

/** The id of a run that another one begins: with a name that says why, or with its ticket where that makes no id. */
export const derivedRunId = (runId: string, name: string, ticket: string): string => {
  const named = `${runId}~${name}`;
  return runIdSchema.safeParse(named).success ? named : `${cut(runId, 100)}~${ticket}`;
};
