import { z } from 'zod';
import { murmur2 } from './lane-hash.js';

const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/);

/**
 * The trace of a run, fixed when it is accepted: from then on every service finds it, and the places in it, in the log,
 * whoever has died meanwhile.
 */
export const traceSchema = z.object({
  id: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  /** The submitter's span. */
  parent: spanId.optional(),
  /** Whether its spans are told to anybody. */
  sampled: z.boolean(),
});
export type Trace = z.infer<typeof traceSchema>;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Where a span stands, as W3C Trace Context writes it. */
export const traceparentOf = ({ id, sampled }: Pick<Trace, 'id' | 'sampled'>, span: string): string =>
  `00-${id}-${span}-${sampled ? '01' : '00'}`;

/** The trace in which whoever says this has a span; undefined where it says nothing readable. */
export const traceIn = (traceparent: string | undefined): (Trace & { readonly parent: string }) | undefined => {
  const [, id = '', parent = '', flags = '00'] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const trace = { id, parent, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
  return traceSchema.safeParse(trace).success ? trace : undefined;
};

/** The trace of a run that is accepted: that of its submitter, or one of its own for so many runs of all. */
export const traceOfNew = (traceparent: string | undefined, runKey: string, ratio: number): Trace | undefined => {
  const given = traceIn(traceparent);
  if (given !== undefined) return given;
  if (ratio <= 0 || hash('share', runKey) / 0x1_0000_0000 >= ratio) return undefined;
  const id = ['a', 'b', 'c', 'd'].map((part) => hex(hash(part, runKey))).join('');
  return { id, sampled: true };
};

/** The id of a span of a run: the same for whoever asks, and another one for every place. */
export const spanOf = (runKey: string, ...place: readonly (string | number)[]): string => {
  const text = [runKey, ...place].join('/');
  const id = hex(hash('span', text)) + hex(hash('id', text));
  return id === '0'.repeat(16) ? '1'.padStart(16, '0') : id;
};

type Traced = { readonly runKey: string };
export const runSpan = ({ runKey }: Traced): string => spanOf(runKey, 'run');
export const attemptSpan = ({ runKey }: Traced, stepId: string, attempt: number): string =>
  spanOf(runKey, 'attempt', stepId, attempt);
export const doubtSpan = ({ runKey }: Traced, stepId: string, attempt: number): string =>
  spanOf(runKey, 'doubt', stepId, attempt);

const hash = (salt: string, text: string): number => murmur2(new TextEncoder().encode(`${salt} ${text}`)) >>> 0;
const hex = (value: number): string => value.toString(16).padStart(8, '0');
