import { auditLane, sha256, type AuditedLane, type AuditedSnapshot } from '@holdfast/sdk';
import { count } from '@holdfast/words';
import { InvalidArgumentError, type Command } from 'commander';
import type { Action } from '../action.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';

export const addAudit = (program: Command, action: Action): void => {
  program
    .command('audit')
    .argument('[lane]', 'this lane only', laneNumber)
    .description('fold lanes from their first record, verify all hashes, and hold their snapshots against the fold')
    .action(action(audit));
};

const laneNumber = (text: string): string => {
  if (/^\d{1,5}$/.test(text)) return text;
  throw new InvalidArgumentError('Give the number of a lane.');
};

/** Every snapshot that is in the topic must be what the whole history gives at its place. */
export const audit = async (session: Session, wanted: string): Promise<ExitCode> => {
  const { output } = session;
  const { log, names, client } = await session.cluster();
  const lanes = await client.lanes();
  if (Number(wanted) >= lanes)
    throw new Problem(EXIT.notFound, `there is no lane ${wanted}`, `There are lanes 0 to ${lanes - 1}.`);
  let wrong = 0;
  for (const one of wanted === '' ? Array.from({ length: lanes }, (_, index) => index) : [Number(wanted)]) {
    const topics = { topic: names.snapshots, history: names.history };
    const audited = await auditLane({ log, ...topics, lane: one, digest: sha256 });
    for (const snapshot of audited.snapshots) output.data({ kind: 'snapshot', lane: one, ...snapshot });
    const bad = audited.snapshots.filter(({ problem }) => problem !== null);
    wrong += bad.length;
    tell(session, one, audited);
    for (const snapshot of bad) output.say(`  ${wrongWords(snapshot)}`);
  }
  if (wrong === 0) return EXIT.ok;
  output.say(`${count(wrong, 'snapshot')} not what history gives. They are ignored when a lane is taken over.`);
  return EXIT.notSucceeded;
};

const tell = ({ output }: Session, lane: number, { state, next, snapshots }: AuditedLane): void => {
  const { epoch, seq, chain, counts } = state;
  output.data({ kind: 'audited', lane, records: next, epoch, seq, ...counts, chain, snapshots: snapshots.length });
  const latest = snapshots.findLast(({ problem }) => problem === null);
  const since = latest?.seq == null ? '' : `, the latest good one ${count(seq - latest.seq, 'event')} ago`;
  output.say(
    `lane ${lane}: ${count(counts.valid, 'record')}, every hash holds, ${counts.void} void, ${counts.repeated} repeated; ` +
      `${count(snapshots.length, 'snapshot')}${since}. Lane hash ${chain}.`,
  );
};

const wrongWords = ({ at, offset, problem }: AuditedSnapshot): string =>
  `snapshot at ${at}${offset === null ? '' : `, of ${offset} in history`}: ${problem ?? ''}`;
