import type { CounterName, HistogramName, LabelsOf, LevelName } from './table.js';

/** Where the parts of a service say what they have seen. Must never throw, wait or fail because nobody listens. */
export type Metrics = {
  /** `by` is 1 where absent. */
  add<N extends CounterName>(name: N, labels: LabelsOf<N>, by?: number): void;
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Asks for levels each time somebody wants to see them; must answer at once. Returns how to take it away again. */
  look(tell: (levels: Levels) => void): () => void;
};

/** What is told of levels counts until they are asked for again. */
export type Levels = {
  set<N extends LevelName>(name: N, labels: LabelsOf<N>, value: number): void;
};

/** Where nobody wants to know. */
export const noMetrics: Metrics = {
  add: () => undefined,
  observe: () => undefined,
  look: () => () => undefined,
};
