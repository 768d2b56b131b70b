import type { RunHistory } from '@holdfast/sdk';
import { EXIT, runNotFound, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { describeState } from '../state-words.js';

/** Rebuilds a run from the first record of its lane on and prints its history and state. */
export const replay = async (session: Session, runId: string): Promise<ExitCode> => {
  const { output } = session;
  const history = await found(session, runId);
  for (const record of history.records) output.event(record);
  const { run, lane, checked, records } = history;
  output.say('');
  output.say(
    run === undefined ? 'State: the run ended long ago and only its records are kept.' : describeState(run, Date.now()),
  );
  output.data({ kind: 'state', runId, state: run ?? null });
  output.say(
    `Verified: ${checked.valid} records of lane ${lane}, ${records.length} of them of this run; every hash of the record before and of the ` +
      `whole lane holds. ${checked.void} void and ${checked.repeated} repeated records were passed over. Lane hash ${checked.chain}.`,
  );
  output.data({ kind: 'verified', runId, lane, records: records.length, ...checked });
  return EXIT.ok;
};

/** The history of a run that is known. */
export const found = async (session: Session, runId: string): Promise<RunHistory> => {
  const history = await (await session.client()).readRun(runId);
  if (history.records.length === 0) throw runNotFound(runId, session.namespace);
  return history;
};
