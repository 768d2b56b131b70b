import { FAILPOINTS, type FailpointName, type FailpointProcess } from '@holdfast/service/failpoint';
import { NOTHING, plus, type Tally } from './counting.js';
import type { RunOutcome, StrikeOutcome } from './outcome.js';
import { actions, type Strike, type StrikeAction } from './schedule.js';

/** One failpoint, one action, one program. */
export type Cell = {
  readonly point: FailpointName;
  readonly process: FailpointProcess;
  readonly action: StrikeAction;
  readonly program: string;
  /** Strikes that hit a process there with a run of this program under way. */
  readonly hits: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly repeats: number;
  readonly doubts: number;
  /** How the runs of the cell ended, by reason; `not ended` for those that did not in time. */
  readonly ends: Readonly<Record<string, number>>;
  readonly recoveryMs: Quantiles | null;
};

export type Quantiles = { readonly n: number; readonly p50: number; readonly p99: number; readonly max: number };
export type ByKind<T> = Readonly<Partial<Record<FailpointProcess, Readonly<Partial<Record<StrikeAction, T>>>>>>;

export type Report = Tally & {
  /** Processes ended, and processes frozen, each at a failpoint. */
  readonly kills: number;
  readonly freezes: number;
  readonly runs: number;
  readonly conflicts: number;
  readonly cells: readonly Cell[];
  /** Cells that were to be hit and were not. */
  readonly neverHit: readonly string[];
  /** From a strike until the slowest of the runs that were under way had made progress again, ms. */
  readonly recoveryMs: ByKind<Quantiles>;
  /** Runs with a duplicate, a loss or a conflict, or without an end. */
  readonly wrong: readonly { readonly strike: Strike; readonly run: RunOutcome }[];
  /** Keys of effects that were made meanwhile under the key of no step, one for each. */
  readonly strangers: readonly string[];
  /** Histories that are not sound. */
  readonly defects: readonly string[];
  /** Fleets that could not go on and were replaced: what was waited for in vain. */
  readonly troubles: readonly string[];
};

export type ReportParts = {
  readonly outcomes: readonly StrikeOutcome[];
  /** What was to be struck. */
  readonly strikes: readonly Strike[];
  readonly programs: readonly string[];
} & Pick<Report, 'strangers' | 'defects' | 'troubles'>;

export const reportOf = ({ outcomes, strikes, programs, ...noted }: ReportParts): Report => {
  const cells = wantedCells(strikes, programs).map((cell) => cellOf(cell, outcomes));
  const runs = outcomes.flatMap((outcome) => outcome.runs.map((run) => ({ strike: outcome.strike, run })));
  const hit = (action: StrikeAction): number =>
    outcomes.filter(({ strike, hitAt }) => strike.action === action && hitAt !== null).length;
  return {
    kills: hit('kill'),
    freezes: hit('freeze'),
    runs: runs.length,
    ...runs.map(({ run }) => run.tally).reduce(plus, NOTHING),
    conflicts: runs.reduce((sum, { run }) => sum + run.conflicts, 0),
    cells,
    neverHit: cells
      .filter(({ hits }) => hits === 0)
      .map(({ point, action, program }) => `${point} ${action} ${program}`),
    recoveryMs: recoveryByKind(outcomes),
    wrong: runs.filter(({ run }) => isWrong(run)),
    ...noted,
  };
};

const isWrong = ({ tally, end, conflicts }: RunOutcome): boolean =>
  tally.duplicates + tally.lost + conflicts > 0 || end === null;

/** Whether anything was struck. Where nothing was, nothing is shown. */
export const hasStruck = ({ kills, freezes }: Report): boolean => kills + freezes > 0;

/** Whether it is known of any effect how often it was made. Where it is of none, no repeat would be seen. */
export const hasCounted = ({ effects, uncounted }: Report): boolean => effects > uncounted;

/** Something was struck and something counted, and nothing went wrong. That nothing was left out is not in it. */
export const isClean = (report: Report): boolean => {
  const { duplicates, lost, conflicts, wrong, strangers, defects, troubles } = report;
  const found = [...wrong, ...strangers, ...defects, ...troubles].length + duplicates + lost + conflicts;
  return found === 0 && hasStruck(report) && hasCounted(report);
};

type Wanted = Pick<Cell, 'point' | 'action' | 'program'>;

const wantedCells = (strikes: readonly Strike[], programs: readonly string[]): readonly Wanted[] => {
  const pairs = new Map(strikes.map(({ point, action }) => [`${point} ${action}`, { point, action }]));
  const order = Object.keys(FAILPOINTS);
  return [...pairs.values()]
    .toSorted(
      (a, b) =>
        order.indexOf(a.point) - order.indexOf(b.point) || actions.indexOf(a.action) - actions.indexOf(b.action),
    )
    .flatMap((pair) => programs.map((program) => ({ ...pair, program })));
};

const cellOf = ({ point, action, program }: Wanted, outcomes: readonly StrikeOutcome[]): Cell => {
  const here = outcomes.filter(({ strike }) => strike.point === point && strike.action === action);
  const runs = here.flatMap((outcome) => outcome.runs.filter((run) => run.program === program));
  const tally = runs.map((run) => run.tally).reduce(plus, NOTHING);
  const ends: Record<string, number> = {};
  for (const { end } of runs) ends[end ?? 'not ended'] = (ends[end ?? 'not ended'] ?? 0) + 1;
  return {
    point,
    process: FAILPOINTS[point].process,
    action,
    program,
    hits: here.filter((outcome) => outcome.runs.some((run) => run.program === program && run.underWay)).length,
    duplicates: tally.duplicates,
    lost: tally.lost,
    repeats: tally.repeats,
    doubts: runs.reduce((sum, { doubts }) => sum + doubts, 0),
    ends,
    recoveryMs: quantiles(runs.flatMap(({ recoveryMs }) => recoveryMs ?? [])),
  };
};

const recoveryByKind = (outcomes: readonly StrikeOutcome[]): ByKind<Quantiles> => {
  const found: Partial<Record<FailpointProcess, Partial<Record<StrikeAction, number[]>>>> = {};
  for (const { strike, runs } of outcomes) {
    const recovered = runs.flatMap(({ recoveryMs }) => recoveryMs ?? []);
    if (recovered.length === 0) continue;
    const kind = (found[FAILPOINTS[strike.point].process] ??= {});
    (kind[strike.action] ??= []).push(Math.max(...recovered));
  }
  return Object.fromEntries(
    Object.entries(found).map(([kind, byAction]) => [
      kind,
      Object.fromEntries(Object.entries(byAction).map(([action, values]) => [action, quantiles(values)])),
    ]),
  );
};

/** By nearest rank; null for nothing. */
export const quantiles = (values: readonly number[]): Quantiles | null => {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
};
