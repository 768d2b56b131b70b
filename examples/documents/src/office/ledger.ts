import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

export const ledgerLineSchema = z.object({
  /** Epoch ms. */
  at: z.int(),
  document: z.string(),
  key: z.string(),
  sha256: z.string(),
});
export type LedgerLine = z.infer<typeof ledgerLineSchema>;

export type NumberedLine = LedgerLine & { readonly number: number };

/** The office's only memory of what it did: one JSON line per filing, in the order in which they were applied. */
export type Ledger = {
  /**
   * Writes the line through to the file before it returns its number. Never looks whether the key is there already.
   */
  append(line: LedgerLine): number;
  /** All filings under a key with their numbers, oldest first. */
  under(key: string): readonly NumberedLine[];
  /** All filings from a moment on, oldest first. */
  since(at: number): readonly LedgerLine[];
  close(): void;
};

export const openLedger = (file: string): Ledger => {
  mkdirSync(dirname(file), { recursive: true });
  const byKey = new Map<string, NumberedLine[]>();
  const known = existsSync(file) ? readLedger(readFileSync(file, 'utf8')) : [];
  const all = [...known];
  for (const [index, line] of known.entries()) remember(byKey, { ...line, number: index + 1 });
  const handle = openSync(file, 'a');
  let count = known.length;
  return {
    append: (line) => {
      const { at, document, key, sha256 } = line;
      writeSync(handle, `${JSON.stringify({ at, document, key, sha256 })}\n`);
      count += 1;
      all.push({ at, document, key, sha256 });
      remember(byKey, { at, document, key, sha256, number: count });
      return count;
    },
    under: (key) => byKey.get(key) ?? [],
    since: (from) => all.filter(({ at }) => at >= from),
    close: () => closeSync(handle),
  };
};

/** The lines of a ledger file. A last line without its end was never acknowledged to anyone, and is left out. */
export const readLedger = (text: string): readonly LedgerLine[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => ledgerLineSchema.parse(JSON.parse(line)));

const remember = (byKey: Map<string, NumberedLine[]>, line: NumberedLine): void => {
  const lines = byKey.get(line.key);
  if (lines === undefined) byKey.set(line.key, [line]);
  else lines.push(line);
};
