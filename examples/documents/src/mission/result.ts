import pc from 'picocolors';
import type { CancelReport } from './cancel-report.js';
import type { Report } from './report.js';

/** Whether the mission kept its promise: nothing was repeated or lost, and the run ended as it was meant to. */
export const isKept = (report: Report): boolean => {
  const { outcome, cancel, duplicates, lost } = report;
  const endedWell = cancel === null ? outcome === 'succeeded' : cancel.problems.length === 0;
  return endedWell && duplicates === 0 && lost === 0;
};

/** The result in a few lines. */
export const resultLines = (report: Report): readonly string[] => {
  const { doubts } = report;
  const seconds = (report.wallMs / 1_000).toFixed(1);
  return [
    '',
    `${pc.bold('Documents')}   ${report.documents} to file, ${report.steps} steps succeeded, the run ${report.outcome}`,
    `${pc.bold('Time')}        ${seconds} s, ${report.stepsPerSecond} steps a second`,
    `${pc.bold('Kills')}       ${killsLine(report)}`,
    ...(report.cancel === null ? [] : cancelLines(report.cancel)),
    `${pc.bold('Doubts')}      ${doubts.applied} had been applied, ${doubts.absent} had not, ${doubts.unknown} nobody could tell${
      doubts.rerun > 0 ? `, ${doubts.rerun} run again without asking` : ''
    }`,
    ...(report.cancel !== null && report.kills.length === 0 ? [] : [recoveryOf(report)]),
    `${pc.bold('Ledger')}      ${report.effects} filings in ${report.ledger}`,
    verdictLine(report),
    '',
  ];
};

const killsLine = ({ kills }: Report): string => {
  const [first, ...more] = kills;
  if (first === undefined) return 'none';
  const after = `after ${first.atStep} steps and ${first.effectsBefore} filings`;
  const calls = `${first.inFlight} calls were in flight, ${first.appliedUnanswered} of them filed and not answered`;
  return `the ${first.victim} ${after}: ${calls}${more.length > 0 ? `; and ${more.length} more` : ''}`;
};

const cancelLines = (cancel: CancelReport): readonly string[] => {
  const { atStep, withinMs, frozen, terminalMs, lastEffectStartMs: last } = cancel;
  const over = terminalMs === null ? 'the run never ended' : `the run was over after ${terminalMs} ms`;
  const asleep = frozen.length === 0 ? '' : `, with ${frozen.length} processes frozen`;
  const lastCall = last === null ? 'no call began after it' : `the last call began ${last} ms after it`;
  return [
    `${pc.bold('Cancel')}      at step ${atStep}${asleep}, to be over within ${withinMs} ms: ${over}`,
    `${pc.bold('After it')}    ${cancel.scheduledAfter} steps scheduled; ${lastCall}; ${cancel.startedAfterClosed} for attempts that were closed`,
    `${pc.bold('Its report')}  ${cancel.applied} filed, ${cancel.absent} ordered and not filed, ${cancel.inDoubt} in doubt`,
  ];
};

const recoveryOf = (report: Report): string => `${pc.bold('Recovery')}    ${recoveryLine(report)}`;

const recoveryLine = ({ recoveryMs, resumedMs, kills }: Report): string => {
  if (kills.length === 0) return 'nothing was killed';
  if (recoveryMs === null) return 'no filing began after the kill';
  const held = resumedMs === null ? '' : `; all doubts settled and the work resumed after ${resumedMs} ms`;
  return `${recoveryMs} ms from the kill to the next new filing${held}`;
};

const verdictLine = (report: Report): string => {
  const counts = `${report.duplicates} repeated, ${report.lost} lost`;
  if (isKept(report)) return pc.green(`${pc.bold('Kept')}        ${counts}: ${keptOf(report)}`);
  const reasons = [counts, ...(report.cancel?.problems ?? [`the run ${report.outcome}`])];
  return pc.red(`${pc.bold('Broken')}      ${reasons.slice(0, REASONS_MAX).join('; ')}`);
};

/** The report file has all of them. */
const REASONS_MAX = 10;

const keptOf = ({ cancel, effects }: Report): string =>
  cancel === null
    ? 'every document was filed exactly once'
    : `each of the ${effects} filings is in the report of the run, and nothing began after it was closed`;
