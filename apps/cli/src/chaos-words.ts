import Table from 'cli-table3';
import { hasCounted, hasStruck, type Cell, type Report } from '@holdfast/chaos';

export const CHAOS_WARNING =
  'chaos runs the plan many times with its real tools, kills and freezes its own services meanwhile, and leaves topics ' +
  'behind. Every effect of the tools is made for real.';

/** One line for each failpoint. */
export const chaosTable = ({ cells }: Report): string => {
  const head = ['failpoint', 'process', 'killed', 'frozen', 'duplicates', 'lost', 'slowest ms'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const point of new Set(cells.map((cell) => cell.point))) {
    const here = cells.filter((cell) => cell.point === point);
    const hits = (action: Cell['action']): number =>
      Math.max(0, ...here.filter((cell) => cell.action === action).map((cell) => cell.hits));
    const sum = (of: (cell: Cell) => number): number => here.reduce((total, cell) => total + of(cell), 0);
    const slowest = Math.max(0, ...here.map(({ recoveryMs }) => recoveryMs?.max ?? 0));
    const counted = [sum((cell) => cell.duplicates), sum((cell) => cell.lost), slowest];
    table.push([point, here[0]?.process ?? '', hits('kill'), hits('freeze'), ...counted].map(String));
  }
  return table.toString();
};

/** What was counted, and what could not be. */
export const counterWords = (report: Report): string => {
  const { kills, freezes, runs, effects, duplicates, lost, repeats, uncounted, untold, conflicts } = report;
  const points = [...new Set(report.neverHit.map((cell) => cell.split(' ').slice(0, 2).join(' ')))];
  return [
    `${kills} killed, ${freezes} frozen, ${runs} runs, ${effects} effects: ${duplicates} duplicated, ${lost} lost.`,
    ...(hasStruck(report) ? [] : ['Nothing was struck: nothing is shown.']),
    ...(hasCounted(report)
      ? []
      : ['Of no effect it is known how often it was made: a repeat would not be seen. Give --ledger.']),
    ...(repeats > 0 ? [`${repeats} repeats of pure and repeatable tools, which their policy allows.`] : []),
    ...(conflicts > 0 ? [`${conflicts} conflicts: an outcome contradicted what was acted on.`] : []),
    ...(uncounted > 0
      ? [
          `${uncounted} effects are known to be there, but not how often: a repeat of them would not be seen without a ledger.`,
        ]
      : []),
    ...(untold > 0
      ? [`${untold} effects could not be asked about: neither a repeat nor a loss of them would be seen.`]
      : []),
    ...(points.length > 0 ? [`Not reached by this plan in time: ${points.join(', ')}.`] : []),
    ...report.wrong.map(
      ({ strike, run }) =>
        `WRONG at ${strike.point} (${strike.action}): run ${run.runId} ${run.end ?? 'has not ended'}, ` +
        `${run.tally.duplicates} duplicated, ${run.tally.lost} lost, ${run.conflicts} conflicts.`,
    ),
    ...report.strangers.map((key) => `STRANGE: an effect was made under ${key}, the key of no step.`),
    ...report.troubles.map((trouble) => `TROUBLE at ${trouble}`),
    ...report.defects.map((defect) => `UNSOUND: ${defect}`),
  ].join('\n');
};
