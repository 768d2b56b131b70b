import type { LedgerEntry } from '@holdfast/model-server';
import type { Filed } from './register.js';
import type { Finished } from './one-run.js';

/** What one run has done outside, counted by those it was done to. */
export type Counted = {
  readonly runId: string;
  /** Steps that call a tool or the model, in all. */
  readonly steps: number;
  readonly end: string;
  /** The step at which its worker was killed; null where that was nowhere. */
  readonly killedAt: string | null;
  readonly filed: number;
  /** Findings that are in the register once more than they should be. */
  readonly duplicates: number;
  /** Calls that are said to have succeeded, and are not in the register. */
  readonly lost: number;
  /** Questions to a person. */
  readonly approvals: number;
  readonly modelCalls: number;
  /** Answers of the model that were paid for once more, and were not on their way when the worker was killed. */
  readonly modelCallsRepeated: number;
  /** Those that were on their way. */
  readonly modelCallsInFlight: number;
  /** Tokens that the model has billed and the budget of the run does not know. */
  readonly tokensNotCharged: number;
};

export const countRun = (
  run: Finished,
  filed: readonly Filed[],
  asked: readonly LedgerEntry[],
  wasKilled: boolean,
): Counted => {
  const { runKey } = acceptedIn(run);
  const own = (key: string | null): boolean => key?.startsWith(`${runKey}/`) === true;
  const entries = filed.filter(({ key }) => own(key));
  const billed = asked.filter(({ key, ended }) => own(key) && ended?.outcome === 'replied' && ended.sent);
  const again = billed.length - new Set(billed.map(({ key }) => key)).size;
  const inFlight = Math.min(again, triedAgain(run).filter((stepId) => isModel(stepId)).length);
  const tokens = billed.reduce((sum, { ended }) => sum + (ended?.tokensIn ?? 0) + (ended?.tokensOut ?? 0), 0);
  const { spent = {} } = run.end;
  return {
    runId: run.runId,
    steps: new Set(stepsOf(run)).size,
    end: run.end.reason,
    killedAt: wasKilled ? (struckIn(run) ?? 'unknown') : null,
    filed: entries.length,
    duplicates: entries.length - new Set(entries.map(({ document, finding }) => `${document} ${finding}`)).size,
    lost: succeededFilings(run).filter((stepId) => !entries.some(({ key }) => key === `${runKey}/${stepId}`)).length,
    approvals: run.records.filter(({ event }) => event.type === 'EscalationOpened').length,
    modelCalls: billed.length,
    modelCallsRepeated: again - inFlight,
    modelCallsInFlight: inFlight,
    tokensNotCharged: Math.max(0, tokens - Number(spent['tokensIn'] ?? 0) - Number(spent['tokensOut'] ?? 0)),
  };
};

const acceptedIn = ({ runId, records }: Finished) => {
  for (const { event } of records) if (event.type === 'RunAccepted') return event.data;
  throw new Error(`nobody has accepted ${runId}`);
};

const isModel = (stepId: string): boolean => stepId.endsWith('.model');

const stepsOf = ({ records }: Finished): readonly string[] =>
  records.flatMap(({ event }) => (event.type === 'StepScheduled' ? [event.data.stepId] : []));

/** Steps of which more than one attempt was made. */
const triedAgain = ({ records }: Finished): readonly string[] =>
  records.flatMap(({ event }) => (event.type === 'StepScheduled' && event.data.attempt > 0 ? [event.data.stepId] : []));

/** What was under way when the worker died: it is in doubt, or is made again. */
const struckIn = (run: Finished): string | undefined => {
  for (const { event } of run.records) {
    if (event.type === 'DoubtOpened') return event.data.stepId;
    if (event.type === 'StepScheduled' && event.data.attempt > 0) return event.data.stepId;
  }
  return takenOverIn(run);
};

/** What changes nothing outside is called again under the same attempt: then it is the first one by the next worker. */
const takenOverIn = ({ records }: Finished): string | undefined => {
  const done = records.flatMap(({ event }) =>
    event.type === 'StepSucceeded' && event.data.session !== null ? [event.data] : [],
  );
  return done.find(({ session }) => session !== done[0]?.session)?.stepId;
};

const succeededFilings = ({ records }: Finished): readonly string[] =>
  records.flatMap(({ event }) =>
    event.type === 'StepSucceeded' && /\.file_finding-\d+$/.test(event.data.stepId) ? [event.data.stepId] : [],
  );

/** Whether everything is as it was promised. */
export const isRight = (run: Counted): boolean =>
  run.end === 'succeeded' &&
  run.duplicates === 0 &&
  run.lost === 0 &&
  run.modelCallsRepeated === 0 &&
  run.tokensNotCharged === 0;

export type AgentReport = {
  readonly kills: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly modelCallsRepeated: number;
  readonly modelCallsInFlight: number;
  readonly tokensNotCharged: number;
  /** Calls that a real endpoint would have refused. */
  readonly rejected: number;
  readonly runs: readonly Counted[];
};

export const reportOf = (runs: readonly Counted[], rejected: number): AgentReport => {
  const sum = (of: (run: Counted) => number): number => runs.reduce((total, run) => total + of(run), 0);
  return {
    kills: runs.filter(({ killedAt }) => killedAt !== null).length,
    duplicates: sum(({ duplicates }) => duplicates),
    lost: sum(({ lost }) => lost),
    modelCallsRepeated: sum(({ modelCallsRepeated }) => modelCallsRepeated),
    modelCallsInFlight: sum(({ modelCallsInFlight }) => modelCallsInFlight),
    tokensNotCharged: sum(({ tokensNotCharged }) => tokensNotCharged),
    rejected,
    runs,
  };
};
