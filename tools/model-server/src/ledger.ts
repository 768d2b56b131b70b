import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { EndpointName } from './script.js';

/** What became of a request: `replied`, `faulted` by the script, or `rejected` because an endpoint would refuse it. */
export type Outcome = 'replied' | 'faulted' | 'rejected';

export type LedgerEntry = {
  /** From 1, over all lives of the server. */
  readonly n: number;
  readonly endpoint: EndpointName;
  /** SHA-256 of the body, the first 32 characters. */
  readonly hash: string;
  /** The `idempotency-key` that it came with. */
  readonly key: string | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly ended: Ended | null;
};
export type Ended = {
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly status: number | null;
  /** Whether the answer was handed over whole. */
  readonly sent: boolean;
  /** Why it was rejected. */
  readonly problem?: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
};

type Line = { readonly n: number } & ({ readonly began: Omit<LedgerEntry, 'n' | 'ended'> } | { readonly ended: Ended });

/** Every request, written down before it is looked at and again when it is over. Goes on where a file ends. */
export class Ledger {
  private readonly byNumber = new Map<number, LedgerEntry>();
  private last = 0;

  constructor(private readonly file: string | null) {
    if (file === null || !existsSync(file)) return;
    const whole = readFileSync(file, 'utf8');
    // A server that was killed while it wrote leaves half a line; what follows must not be glued to it.
    if (whole !== '' && !whole.endsWith('\n')) appendFileSync(file, '\n');
    for (const text of whole.split('\n')) this.keep(parsed(text));
  }

  /** A copy: what comes later does not change it. */
  entries(): readonly LedgerEntry[] {
    return [...this.byNumber.values()];
  }

  begin(began: Omit<LedgerEntry, 'n' | 'ended'>): number {
    const n = this.last + 1;
    this.write({ n, began });
    return n;
  }

  end(n: number, ended: Ended): void {
    this.write({ n, ended });
  }

  private write(line: Line): void {
    if (this.file !== null) appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    this.keep(line);
  }

  private keep(line: Line | null): void {
    if (line === null) return;
    const { n } = line;
    this.last = Math.max(this.last, n);
    if ('began' in line) this.byNumber.set(n, { n, ...line.began, ended: null });
    const known = this.byNumber.get(n);
    if ('ended' in line && known !== undefined) this.byNumber.set(n, { ...known, ended: line.ended });
  }
}

const parsed = (text: string): Line | null => {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
};
