import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { KNOWN } from './known-series.js';
import type { Levels, Metrics } from './metrics.port.js';
import {
  metricNames,
  metricOf,
  type CounterName,
  type HistogramName,
  type LevelName,
  type MetricName,
} from './table.js';

type LabelValues = Readonly<Record<string, string | number>>;
type Inner = Sum | { readonly observe: (value: number) => void };
type Kept = {
  readonly metric: Counter | Gauge | Histogram;
  readonly labels: readonly string[];
  readonly bound: Map<string, Inner>;
};

/** More series than that of one metric are a mistake: the others are counted together. */
const SERIES_MAX = 2_000;
const OTHER = 'other';
/** No series has this key: labels are joined by line breaks. */
const REST = '\n\n\n';

/** Metrics for Prometheus. */
export class PromMetrics implements Metrics {
  private readonly registry = new Registry();
  private readonly kept = new Map<string, Kept>();
  private readonly looking = new Set<(levels: Levels) => void>();
  private readonly levels: Levels = { set: (name, labels, value) => this.setLevel(name, labels, value) };

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    for (const name of metricNames) if (fits(name, service)) this.kept.set(name, this.made(name));
    for (const [name, series] of Object.entries(KNOWN)) for (const labels of series) this.innerOf(name, labels);
    collectDefaultMetrics({ register: this.registry });
  }

  readonly add: Metrics['add'] = (name: CounterName, labels: LabelValues, by = 1) => {
    const inner = this.innerOf(name, labels);
    if (inner !== undefined && 'inc' in inner && by > 0) inner.inc(by);
  };

  readonly observe: Metrics['observe'] = (name: HistogramName, labels: LabelValues, value: number) => {
    const inner = this.innerOf(name, labels);
    if (inner !== undefined && 'observe' in inner) inner.observe(Math.max(0, value));
  };

  look(tell: (levels: Levels) => void): () => void {
    this.looking.add(tell);
    return () => void this.looking.delete(tell);
  }

  readonly contentType = this.registry.contentType;

  /** All of it as Prometheus reads it. */
  async text(): Promise<string> {
    for (const [name, { metric, bound }] of this.kept) {
      if (!isLevel(name as MetricName)) continue;
      metric.reset();
      bound.clear();
    }
    for (const tell of this.looking) tell(this.levels);
    for (const { bound } of this.kept.values()) for (const inner of bound.values()) if ('flush' in inner) inner.flush();
    return this.registry.metrics();
  }

  private setLevel(name: LevelName, labels: LabelValues, value: number): void {
    const inner = this.innerOf(name, labels);
    // A metric without labels stands at 0 from the start.
    if (inner !== undefined && 'inc' in inner && Number.isFinite(value)) inner.inc(value);
  }

  /** Looked up by the values alone: the library's own way through objects costs several times as much. */
  private innerOf(name: string, labels: LabelValues): Inner | undefined {
    const kept = this.kept.get(name);
    if (kept === undefined) return undefined;
    const [only] = kept.labels;
    const key =
      only === undefined
        ? ''
        : kept.labels.length === 1
          ? String(labels[only])
          : kept.labels.map((label) => labels[label]).join('\n');
    const known = kept.bound.get(key);
    if (known !== undefined) return known;
    if (kept.bound.size >= SERIES_MAX) return this.rest(kept);
    const made = boundTo(kept, labels);
    kept.bound.set(key, made);
    return made;
  }

  /** What is counted together, since there are too many series. */
  private rest(kept: Kept): Inner {
    const known = kept.bound.get(REST) ?? boundTo(kept, others(kept.labels));
    kept.bound.set(REST, known);
    return known;
  }

  private made(name: MetricName): Kept {
    const described = metricOf(name);
    const { help, labels } = described;
    const options = { name, help, labelNames: [...labels], registers: [this.registry] };
    const metric =
      described.type === 'histogram'
        ? new Histogram({ ...options, buckets: [...described.buckets] })
        : described.type === 'gauge'
          ? new Gauge(options)
          : new Counter(options);
    return { metric, labels, bound: new Map() };
  }
}

const fits = (name: MetricName, service: string): boolean => {
  const { of } = metricOf(name);
  return of === 'all' || of === service;
};

const isLevel = (name: MetricName): boolean => {
  const { type } = metricOf(name);
  return type === 'gauge' || type === 'level';
};

const others = (labels: readonly string[]): LabelValues => Object.fromEntries(labels.map((label) => [label, OTHER]));

const boundTo = ({ metric, labels }: Kept, values: LabelValues): Inner => {
  const child = metric.labels(...labels.map((label) => String(values[label])));
  return 'observe' in child ? { observe: (value) => child.observe(value) } : new Sum((by) => child.inc(by));
};

/** Sums up until somebody asks: the library's way to a series costs much more than an addition. */
class Sum {
  private sum = 0;
  private isNew = true;

  constructor(private readonly pass: (by: number) => void) {}

  inc(by: number): void {
    this.sum += by;
  }

  flush(): void {
    if (this.sum === 0 && !this.isNew) return;
    this.pass(this.sum);
    this.sum = 0;
    this.isNew = false;
  }
}
