import { writeFileSync } from 'node:fs';
import type { Machine } from '@holdfast/dev';
import type { Result } from '../chaos/environment/scenario.js';

export type ClusterReport = {
  readonly machine: Machine;
  readonly commit: string | null;
  readonly environments: readonly { readonly name: string; readonly results: readonly Timed[] }[];
};
/** With the load of the machine when it began. */
export type Timed = Result & { readonly loadBefore: number };

const HEADS = ['fault', 'no effect: anywhere', 'in one lane', 'no history: anywhere', 'in one lane'];

/** Milliseconds without progress, a line for each fault, and what was counted. */
export const tableOf = (environment: string, results: readonly Timed[]): string => {
  const rows = results.flatMap(({ still }) =>
    still.map(({ fault, effects, history }) => [
      fault,
      ...[effects.anywhereMs, effects.laneMs, history.anywhereMs, history.laneMs].map(String),
    ]),
  );
  const counts = results.map(
    ({ name, runs, effects, duplicates, lost, ends, loadBefore }) =>
      `${name}: ${runs} runs, ${effects} effects, ${duplicates} duplicates, ${lost} lost, ends ${JSON.stringify(ends)}, load before ${loadBefore}`,
  );
  return [`\n${environment}; ms without progress`, ...aligned([HEADS, ...rows]), ...counts, ''].join('\n');
};

const aligned = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
};

/** `HOLDFAST_TEST_REPORT` names the file that the figures go to as JSON. */
export const writeReport = (report: ClusterReport): void => {
  const file = process.env['HOLDFAST_TEST_REPORT'];
  if (file !== undefined && file !== '') writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
};
