import { laneOf } from '../lane-hash.js';
import type { Amounts } from './amounts.js';

export type TenantRun = {
  readonly ask: number;
  readonly total: Amounts;
  readonly waits: Wish | null;
  readonly ended: { readonly seq: number; readonly final: boolean } | null;
};
export type Wish = { readonly ask: number; readonly need: Amounts; readonly want: Amounts };

/** Runs by their ids, in parts: an event copies one of them, however many runs there are. */
type Parts = Readonly<Record<string, Readonly<Record<string, TenantRun>>>>;

/** The runs that a tenant knows, and how many there are of some kinds. */
export type TenantRuns = {
  readonly parts: Parts;
  readonly known: number;
  /** That are not over. */
  readonly open: number;
  /** That have something which they may still give back, and do not wait themselves. */
  readonly giving: number;
};

export const noRuns: TenantRuns = { parts: {}, known: 0, open: 0, giving: 0 };

const PARTS = 256;
const partOf = (runId: string): string => String(laneOf(runId, PARTS));

export const tenantRun = ({ parts }: TenantRuns, runId: string): TenantRun | undefined => {
  const part = parts[partOf(runId)];
  return part !== undefined && Object.hasOwn(part, runId) ? part[runId] : undefined;
};

/** The runs with one of them as it is now, or without it. */
export const withTenantRun = (runs: TenantRuns, runId: string, run: TenantRun | null): TenantRuns => {
  const before = tenantRun(runs, runId) ?? null;
  const more = (is: (known: TenantRun) => boolean): number =>
    Number(run !== null && is(run)) - Number(before !== null && is(before));
  const part = runs.parts[partOf(runId)] ?? {};
  const next = run === null ? without(part, runId) : { ...part, [runId]: run };
  return {
    parts: { ...runs.parts, [partOf(runId)]: next },
    known: runs.known + more(() => true),
    open: runs.open + more(({ ended }) => ended === null),
    giving: runs.giving + more(mayGiveBack),
  };
};

const without = (part: Parts[string], runId: string): Parts[string] => {
  const { [runId]: _, ...others } = part;
  return others;
};

const mayGiveBack = ({ waits, ended, ask }: TenantRun): boolean => waits === null && ask > 0 && ended?.final !== true;

export type RunOver = { readonly runId: string; readonly until: number };

/** Runs that are over, in the order in which they are forgotten; in parts, for the same reason. */
export type RunsOver = readonly (readonly RunOver[])[];

export const withRunOver = (over: RunsOver, run: RunOver): RunsOver => {
  const last = over.at(-1);
  return last === undefined || last.length >= PARTS ? [...over, [run]] : [...over.slice(0, -1), [...last, run]];
};

export const withoutRunOver = (over: RunsOver, runId: string): RunsOver => {
  const at = over.findIndex((part) => part.some((known) => known.runId === runId));
  const rest = over[at]?.filter((known) => known.runId !== runId) ?? [];
  if (at < 0) return over;
  return rest.length === 0 ? over.toSpliced(at, 1) : over.with(at, rest);
};
