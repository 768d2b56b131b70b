import { laneOf } from '../lane-hash.js';
import { LIMITS } from '../limits.js';
import type { Amounts } from './amounts.js';

export type TenantRun = {
  readonly ask: number;
  readonly total: Amounts;
  readonly waits: Wish | null;
  readonly ended: { readonly seq: number; readonly final: boolean } | null;
  /** The run that does not end before this one. */
  readonly parent: string | null;
  /** How many wait that must be over before it. */
  readonly below: number;
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
  const before = tenantRun(runs, runId)?.waits != null;
  const waits = run?.waits != null;
  const next = put(runs, runId, run);
  return before === waits || run === null ? next : withAbove(next, run.parent, waits ? 1 : -1);
};

const put = (runs: TenantRuns, runId: string, run: TenantRun | null): TenantRuns => {
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

/** It gives back at its end. */
const mayGiveBack = ({ waits, ended, ask, below }: TenantRun): boolean =>
  waits === null && below === 0 && ask > 0 && ended?.final !== true;

/** Those that do not end before a run that begins or ceases to wait. */
const withAbove = (runs: TenantRuns, parent: string | null, more: 1 | -1): TenantRuns => {
  let [next, above] = [runs, parent];
  for (let depth = 0; above !== null && depth <= LIMITS.depthMax; depth += 1) {
    const known = tenantRun(next, above);
    if (known === undefined) break;
    next = put(next, above, { ...known, below: Math.max(0, known.below + more) });
    above = known.parent;
  }
  return next;
};

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
