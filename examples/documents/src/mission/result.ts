import pc from 'picocolors';
import type { Report } from './report.js';

/** Whether the mission kept its promise: the run succeeded, nothing was repeated, nothing lost. */
export const isKept = (report: Report): boolean =>
  report.outcome === 'succeeded' && report.duplicates === 0 && report.lost === 0;

/** The result in a few lines. */
export const resultLines = (report: Report): readonly string[] => {
  const { doubts } = report;
  const seconds = (report.wallMs / 1_000).toFixed(1);
  return [
    '',
    `${pc.bold('Documents')}   ${report.documents} to file, ${report.steps} steps succeeded, the run ${report.outcome}`,
    `${pc.bold('Time')}        ${seconds} s, ${report.stepsPerSecond} steps a second`,
    `${pc.bold('Kills')}       ${killsLine(report)}`,
    `${pc.bold('Doubts')}      ${doubts.applied} had been applied, ${doubts.absent} had not, ${doubts.unknown} nobody could tell${
      doubts.rerun > 0 ? `, ${doubts.rerun} run again without asking` : ''
    }`,
    `${pc.bold('Recovery')}    ${recoveryLine(report)}`,
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

const recoveryLine = ({ recoveryMs, resumedMs, kills }: Report): string => {
  if (kills.length === 0) return 'nothing was killed';
  if (recoveryMs === null) return 'no filing began after the kill';
  const held = resumedMs === null ? '' : `; all doubts settled and the work resumed after ${resumedMs} ms`;
  return `${recoveryMs} ms from the kill to the next new filing${held}`;
};

const verdictLine = (report: Report): string => {
  const counts = `${report.duplicates} repeated, ${report.lost} lost`;
  return isKept(report)
    ? pc.green(`${pc.bold('Kept')}        ${counts}: every document was filed exactly once`)
    : pc.red(`${pc.bold('Broken')}      ${counts}, the run ${report.outcome}`);
};
