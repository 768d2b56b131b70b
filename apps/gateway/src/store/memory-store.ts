import { keyText, type Chunk, type Row, type RowStore, type Source } from './row-store.js';
import { RULES, type Rules } from './rules.js';
import { historyTables, type HistoryTable } from './tables.js';

const names = Object.keys(historyTables) as readonly HistoryTable[];
const ofRuns: readonly HistoryTable[] = ['events', 'runs', 'steps', 'attempts', 'doubts', 'questions'];

/** The twin of the database for tests: the same rows, and the same answer to whoever comes too late. */
export class MemoryStore implements RowStore {
  private readonly tables = new Map(names.map((name) => [name, new Map<string, Row>()]));
  private readonly positions = new Map<string, number>();

  constructor(private readonly rules: Rules = RULES) {}

  positionsNow(topic: string): ReadonlyMap<number, number> {
    const ofTopic = [...this.positions].filter(([place]) => place.startsWith(`${topic}/`));
    return new Map(ofTopic.map(([place, at]) => [Number(place.slice(topic.length + 1)), at]));
  }

  position(source: Source): Promise<number> {
    return Promise.resolve(this.positionNow(source));
  }

  positionNow(source: Source): number {
    return this.positions.get(placeOf(source)) ?? 0;
  }

  write(chunk: Chunk): Promise<boolean> {
    return Promise.resolve(this.writeNow(chunk));
  }

  writeNow({ source, from, to, changes }: Chunk): boolean {
    if (this.rules.comparePosition && this.positionNow(source) !== from) return false;
    for (const { runId, seq } of changes.accepted) this.dropLife(runId, seq);
    for (const name of names) {
      const { key } = historyTables[name];
      for (const row of (changes.rows[name] ?? []) as readonly Row[])
        this.table(name).set(keyText(key.map((column) => row[column])), row);
    }
    this.positions.set(placeOf(source), to);
    return true;
  }

  /** All rows go, and every position is the first. */
  rebuild(): void {
    for (const table of this.tables.values()) table.clear();
    this.positions.clear();
  }

  /** All rows, by table and key, in the order of their keys. */
  all(): Readonly<Record<HistoryTable, readonly Row[]>> {
    const sorted = names.map((name) => {
      const rows = [...this.table(name)].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return [name, rows.map(([, row]) => row)];
    });
    return Object.fromEntries(sorted) as Record<HistoryTable, readonly Row[]>;
  }

  private table(name: HistoryTable): Map<string, Row> {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`there is no table ${name}`);
    return table;
  }

  private dropLife(runId: string, before: number): void {
    const known = this.table('runs').get(runId);
    if (known === undefined || Number(known['acceptedSeq']) >= before) return;
    for (const name of ofRuns) {
      const table = this.table(name);
      for (const [key, row] of table) if (row['runId'] === runId) table.delete(key);
    }
  }
}

const placeOf = ({ topic, partition }: Source): string => `${topic}/${partition}`;
