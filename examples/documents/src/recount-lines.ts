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
