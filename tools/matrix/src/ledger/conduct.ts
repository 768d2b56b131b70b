/**
 * How the ledger treats one call:
 * `ok` applies and answers · `apply-hold` applies and never answers · `hold-drop` holds the call, never applies it ·
 * `wait` holds it until it is released, then applies and answers, also when nobody listens any more ·
 * `apply-drop` applies and drops the connection · `drop` drops it unapplied · `refuse` 503 unapplied ·
 * `reject` 422 unapplied · `slow:N` applies and answers after N ms · `answer:N` answers with status N, unapplied ·
 * `apply-answer:N` applies, and answers with status N all the same.
 */
export type Conduct =
  | 'ok'
  | 'apply-hold'
  | 'hold-drop'
  | 'wait'
  | 'apply-drop'
  | 'drop'
  | 'refuse'
  | 'reject'
  | `slow:${number}`
  | `answer:${number}`
  | `apply-answer:${number}`;

/** What a tool asks of the ledger. The n-th call under one name is treated by the n-th conduct, later ones by the last. */
export type LedgerRequest = {
  readonly name: string;
  readonly key: string;
  readonly conduct: readonly Conduct[];
  /** Drops repeats of the key within this time, as a keyed service would. */
  readonly dropRepeatsMs?: number;
};

export type LedgerEntry = {
  readonly receipt: number;
  readonly name: string;
  readonly key: string;
  readonly at: number;
};

/** A call as the ledger saw it. `gone`: its client went away before it was answered. */
export type LedgerCall = {
  readonly name: string;
  readonly key: string;
  readonly conduct: Conduct;
  readonly at: number;
  applied: boolean;
  answered: boolean;
  gone: boolean;
};

export type LedgerState = { readonly entries: readonly LedgerEntry[]; readonly calls: readonly LedgerCall[] };

/** Answer to "what became of this key?". `asked` counts the questions about the key, this one included. */
export type LedgerAnswer = { readonly entry: LedgerEntry | null; readonly asked: number };
