import { abandonedBetween, effectsBegunAfter, isAppliedUnanswered, isInFlight, type Call } from '../office/calls.js';
import type { LedgerLine } from '../office/ledger.js';
import { cancelReport, type Cancel, type CancelReport } from './cancel-report.js';
import type { Victim } from './kill-schedule.js';
import type { Tally } from './tally.js';

/** A kill that was carried out. */
export type Kill = {
  readonly victim: Victim;
  /** Name of the service. */
  readonly service: string;
  readonly pids: readonly number[];
  /** Steps that had succeeded in history. */
  readonly atStep: number;
  /** Epoch ms, taken just before the signal. */
  readonly at: number;
};

export type KillReport = Kill & {
  readonly effectsBefore: number;
  /** Filing calls whose client was waiting for the office at the moment of the kill. */
  readonly inFlight: number;
  /** Of these: already in the ledger, and nobody had been told. */
  readonly appliedUnanswered: number;
  /** Calls whose client was gone within a second. */
  readonly abandoned: number;
  /** Kill to the first effect that began after it. */
  readonly recoveryMs: number | null;
  /** Effects that began between the kill and the hold that it caused. */
  readonly effectsBeforeHold: number | null;
  /** Kill to the first effect that began after that hold was over. */
  readonly resumedMs: number | null;
};

export type Report = {
  readonly documents: number;
  readonly steps: number;
  readonly effects: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly killedAtStep: number | null;
  readonly effectsBeforeKill: number | null;
  readonly inFlightAtKill: number | null;
  readonly appliedUnansweredAtKill: number | null;
  /** How the doubts of the run ended; `unknown`: nobody could tell by the end; `rerun`: run again without asking. */
  readonly doubts: {
    readonly applied: number;
    readonly absent: number;
    readonly unknown: number;
    readonly rerun: number;
  };
  readonly recoveryMs: number | null;
  readonly effectsBeforeHold: number | null;
  readonly resumedMs: number | null;
  readonly wallMs: number;
  readonly stepsPerSecond: number;
  readonly ledger: string;
  readonly outcome: string;
  readonly runId: string;
  readonly seed: number;
  readonly kills: readonly KillReport[];
  /** Null where the run was not cancelled. */
  readonly cancel: CancelReport | null;
  readonly options: Readonly<Record<string, unknown>>;
};

/** Everything that the report is made from. */
export type Findings = {
  readonly tally: Tally;
  readonly documents: readonly string[];
  readonly lines: readonly LedgerLine[];
  readonly calls: readonly Call[];
  readonly kills: readonly Kill[];
  readonly cancel: Cancel | null;
  readonly submittedAt: number;
  readonly runId: string;
  readonly ledger: string;
  readonly seed: number;
  readonly options: Readonly<Record<string, unknown>>;
};

export const reportOf = (findings: Findings): Report => {
  const { tally, documents, lines, submittedAt, cancel } = findings;
  const kills = findings.kills.map((kill) => killReport(kill, findings));
  const first = kills[0];
  const wallMs = Math.max(1, (tally.end?.at ?? tally.lastAt ?? submittedAt) - submittedAt);
  const { applied, absent, rerun } = tally.settled;
  const outcome = tally.end?.reason ?? 'not ended';
  return {
    documents: documents.length,
    steps: tally.stepsSucceeded,
    effects: lines.length,
    ...repeatsAndLosses(documents, lines, { filed: tally.filed, all: cancel === null }),
    killedAtStep: first?.atStep ?? null,
    effectsBeforeKill: first?.effectsBefore ?? null,
    inFlightAtKill: first?.inFlight ?? null,
    appliedUnansweredAtKill: first?.appliedUnanswered ?? null,
    doubts: { applied, absent, unknown: tally.openDoubts.size, rerun },
    recoveryMs: first?.recoveryMs ?? null,
    effectsBeforeHold: first?.effectsBeforeHold ?? null,
    resumedMs: first?.resumedMs ?? null,
    wallMs,
    stepsPerSecond: Math.round((tally.stepsSucceeded * 1000) / wallMs),
    ledger: findings.ledger,
    outcome,
    runId: findings.runId,
    seed: findings.seed,
    kills,
    cancel: cancel === null ? null : cancelReport(cancel, { ...findings, filed: tally.filed, outcome }),
    options: findings.options,
  };
};

/** Documents whose filing has succeeded in history, by their number, and whether all of them were to be filed. */
export type Filed = { readonly filed: ReadonlySet<number>; readonly all: boolean };

/** duplicates = Σ max(0, n − 1) by document; lost = done in history without an entry, or to be done and never done. */
export const repeatsAndLosses = (
  documents: readonly string[],
  lines: readonly LedgerLine[],
  { filed, all }: Filed,
): { readonly duplicates: number; readonly lost: number } => {
  const entries = new Map<string, number>();
  for (const { document } of lines) entries.set(document, (entries.get(document) ?? 0) + 1);
  return {
    duplicates: [...entries.values()].reduce((sum, n) => sum + Math.max(0, n - 1), 0),
    lost: documents.filter((document, index) => (filed.has(index) ? !entries.has(document) : all)).length,
  };
};

const GONE_WITHIN_MS = 1_000;

const killReport = (kill: Kill, { lines, calls, tally }: Findings): KillReport => {
  const hold = tally.holds.find(({ from }) => from >= kill.at);
  const later = effectsBegunAfter(calls, kill.at);
  const resumed = hold?.until == null ? undefined : effectsBegunAfter(calls, hold.until)[0];
  return {
    ...kill,
    effectsBefore: lines.filter(({ at }) => at <= kill.at).length,
    inFlight: calls.filter((call) => isInFlight(call, kill.at)).length,
    appliedUnanswered: calls.filter((call) => isAppliedUnanswered(call, kill.at)).length,
    abandoned: abandonedBetween(calls, kill.at, kill.at + GONE_WITHIN_MS).length,
    recoveryMs: later[0] === undefined ? null : later[0].receivedAt - kill.at,
    effectsBeforeHold: hold === undefined ? null : later.filter(({ receivedAt }) => receivedAt < hold.from).length,
    resumedMs: resumed === undefined ? null : resumed.receivedAt - kill.at,
  };
};
