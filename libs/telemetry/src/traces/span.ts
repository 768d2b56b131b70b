export type SpanLink = { readonly spanId: string; readonly about: string };

/** One thing that happened in a trace, told once it is over. */
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
  /** Ids and words out of closed lists; nothing that a run is about. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Other spans of the same trace. */
  readonly links: readonly SpanLink[];
  /** Why it did not end well; null where it did. */
  readonly failure: string | null;
};

/** Where spans go. Never throws, never waits. */
export type Traces = {
  /** Whether anybody listens: where not, nothing need be made up. */
  readonly enabled: boolean;
  tell(span: Span): void;
  /** What is waiting is still sent, within a short time. */
  close(): Promise<void>;
};

export const noTraces: Traces = { enabled: false, tell: () => undefined, close: () => Promise.resolve() };
