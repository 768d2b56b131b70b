import type { Levels, Metrics } from './metrics.port.js';
import type { CounterName, HistogramName, LevelName } from './table.js';

type Labels = Readonly<Record<string, string | number>>;

/** What was counted since the last time, as it goes from one process to another. */
export type Relayed =
  | { readonly name: CounterName; readonly labels: Labels; readonly by: number }
  | {
      readonly name: HistogramName;
      readonly labels: Labels;
      readonly values: number[];
    };

type Sum = { readonly name: CounterName; readonly labels: Labels; by: number };
type Values = { readonly name: HistogramName; readonly labels: Labels; readonly values: number[] };

/** Between two drains nothing more is kept of one series. */
const VALUES_MAX = 10_000;

/** How something stood when it was passed on. */
export type RelayedLevel = { readonly name: LevelName; readonly labels: Labels; readonly value: number };

/** Metrics of a process that nobody asks: another one tells of them. */
export class RelayedMetrics implements Metrics {
  private sums = new Map<string, Sum>();
  private values = new Map<string, Values>();

  readonly add: Metrics['add'] = (name, labels, by = 1) => {
    const key = keyOf(name, labels);
    const known = this.sums.get(key);
    if (known === undefined) this.sums.set(key, { name, labels, by });
    else known.by += by;
  };

  readonly observe: Metrics['observe'] = (name, labels, value) => {
    const key = keyOf(name, labels);
    const known = this.values.get(key);
    if (known === undefined) this.values.set(key, { name, labels, values: [value] });
    else if (known.values.length < VALUES_MAX) known.values.push(value);
  };

  private readonly looking = new Set<(levels: Levels) => void>();

  look(tell: (levels: Levels) => void): () => void {
    this.looking.add(tell);
    return () => void this.looking.delete(tell);
  }

  /** How everything stands now. */
  levels(): readonly RelayedLevel[] {
    const told: RelayedLevel[] = [];
    for (const tell of this.looking) tell({ set: (name, labels, value) => void told.push({ name, labels, value }) });
    return told;
  }

  /** All since the last time. */
  drain(): readonly Relayed[] {
    if (this.sums.size === 0 && this.values.size === 0) return [];
    const drained = [...this.sums.values(), ...this.values.values()];
    this.sums = new Map();
    this.values = new Map();
    return drained;
  }
}

/** Counts here what was counted there. */
export const relay = (metrics: Metrics, relayed: readonly Relayed[]): void => {
  for (const one of relayed) {
    if ('by' in one) metrics.add(one.name, one.labels as never, one.by);
    else for (const value of one.values) metrics.observe(one.name, one.labels as never, value);
  }
};

const keyOf = (name: string, labels: Labels): string => {
  let key = name;
  for (const label in labels) key += `\n${labels[label]}`;
  return key;
};
