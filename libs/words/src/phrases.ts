import type { HistoryEvent } from '@holdfast/events';

/** One sentence for each of some types of events. */
export type WordsFor<T extends HistoryEvent['type']> = {
  readonly [K in T]: (data: Extract<HistoryEvent, { type: K }>['data']) => string;
};

export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;
export const time = (at: number): string => new Date(at).toISOString();
export const place = ({ stepId, attempt }: { stepId: string; attempt: number }): string =>
  `${stepId} (attempt ${attempt})`;
export const tail = (text: string): string => (text === '' ? '' : `: ${text}`);

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A length of time: `850 ms`, `12 s`, `3 min 4 s`, `2 d`; no more than two units. */
export const span = (ms: number): string => {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const unit = UNITS[first];
  if (unit === undefined) return `${Math.max(0, Math.round(ms))} ms`;
  const next = UNITS[first + 1];
  const whole = Math.floor(ms / unit[1]);
  const rest = next === undefined ? 0 : Math.floor((ms - whole * unit[1]) / next[1]);
  return `${whole} ${unit[0]}${rest === 0 || next === undefined ? '' : ` ${rest} ${next[0]}`}`;
};

/** A moment, and how far away it is. */
export const moment = (at: number, now: number): string =>
  `${time(at)} (${at > now ? `in ${span(at - now)}` : at === now ? 'now' : `${span(now - at)} ago`})`;

/** The first few of many names. */
export const some = (names: readonly string[], most = 5): string =>
  names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
