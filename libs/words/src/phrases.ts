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
