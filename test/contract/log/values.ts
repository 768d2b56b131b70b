import type { Appended, Entry, Fetched, LogRecord } from '@holdfast/log';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const entry = (value: string, key: string | null = null): Entry => ({ key, value: bytes(value) });
export const entries = (...values: string[]): Entry[] => values.map((value) => entry(value));
const textOf = ({ value }: LogRecord): string | null => (value === null ? null : new TextDecoder().decode(value));
export const texts = (records: readonly LogRecord[]): (string | null)[] => records.map(textOf);
export const offsets = (records: readonly LogRecord[]): number[] => records.map(({ offset }) => offset);

export const acknowledged = (answer: Appended): number => {
  if (answer.outcome !== 'appended') throw new Error(JSON.stringify(answer));
  return answer.offset;
};

export const fetched = (answer: Fetched): Extract<Fetched, { outcome: 'fetched' }> => {
  if (answer.outcome !== 'fetched') throw new Error(JSON.stringify(answer));
  return answer;
};
