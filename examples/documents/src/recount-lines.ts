/** What a ledger says, line by line. Shares no code with the mission on purpose. */
export type Recount = {
  readonly lines: number;
  readonly documents: number;
  readonly duplicates: number;
  /** Documents that were filed more than once, with how often. */
  readonly repeated: readonly (readonly [document: string, times: number])[];
};

export const recountLines = (text: string): Recount => {
  const times = new Map<string, number>();
  let lines = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const { document } = JSON.parse(line) as { document: string };
    times.set(document, 1 + (times.get(document) ?? 0));
    lines += 1;
  }
  const repeated = [...times].filter(([, filed]) => filed > 1);
  return { lines, documents: times.size, duplicates: lines - times.size, repeated };
};

/** What is lost, and whether a report says the same as the recount. */
export type Comparison = { readonly lost: number; readonly agrees: boolean };

export const compare = (counted: Omit<Recount, 'repeated'>, report: Readonly<Record<string, unknown>>): Comparison => {
  const cancel = report['cancel'] as { readonly applied: number; readonly inDoubt: number } | null | undefined;
  // A run that was cancelled owes what it calls applied; what it calls doubtful may be there or not.
  const owed = cancel == null ? Number(report['documents']) : cancel.applied;
  const allowed = owed + (cancel?.inDoubt ?? 0);
  const lost = Math.max(0, owed - counted.documents);
  const agrees =
    report['effects'] === counted.lines &&
    report['duplicates'] === counted.duplicates &&
    report['lost'] === lost &&
    counted.documents <= allowed;
  return { lost, agrees };
};
