import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stateDir } from '@holdfast/dev';
import type { LedgerLine } from '../office/ledger.js';

/** Where a mission leaves what it leaves. */
export type MissionFiles = {
  /** Logs of all services, and ledger and report unless they were asked for elsewhere. */
  readonly folder: string;
  readonly ledger: string;
  readonly report: string;
  /** An older ledger that was in the way, under its new name. */
  readonly movedAside: string | null;
};

export const prepareFiles = (
  now: Date,
  wanted: { readonly ledger: string | null; readonly report: string | null },
): MissionFiles => {
  const stamp = `${now.toISOString().slice(0, 19).replaceAll(':', '-')}.${process.pid}`;
  const folder = join(stateDir, 'missions', stamp);
  mkdirSync(folder, { recursive: true });
  const ledger = resolve(wanted.ledger ?? join(folder, 'ledger.jsonl'));
  const report = resolve(wanted.report ?? join(folder, 'report.json'));
  return { folder, ledger, report, movedAside: moveAside(ledger, stamp) };
};

export const writeReport = (file: string, report: unknown): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
};

/** A ledger that was told and not read, for whoever counts it again. */
export const writeLedger = (file: string, lines: readonly LedgerLine[]): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
};

// The ledger of an earlier mission in the same file would be counted as repeats; it is somebody's evidence, so it stays.
const moveAside = (ledger: string, stamp: string): string | null => {
  if (!existsSync(ledger)) return null;
  const aside = `${ledger}.before-${stamp}`;
  renameSync(ledger, aside);
  return aside;
};
