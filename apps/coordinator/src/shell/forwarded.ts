import { FORWARDED_HEADER, type TopicNames } from '@holdfast/contracts';
import { LogDefect, type Log, type LogRecord } from '@holdfast/log';
import type { Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { patiently } from './patiently.js';

type Parts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly lanes: number;
  readonly timer: Timer;
  readonly logger: ServiceLogger;
};

/** Where a request stood that came to the wrong lane and was passed on. */
export const originOf = ({ requests }: TopicNames, lane: number, { offset }: LogRecord): string =>
  `${requests}/${lane}/${offset}`;

export const isPassedOn = ({ headers }: LogRecord): boolean => headers[FORWARDED_HEADER] !== undefined;

/**
 * When a request was made, by the broker's clock: that of the record which was passed on, where it is one. Anyone may
 * write that header, so that the record which it names is looked at; where there is no such one it is not believed.
 */
export const madeAt = async (parts: Parts, record: LogRecord): Promise<number> => {
  const origin = record.headers[FORWARDED_HEADER];
  const first = origin === undefined ? undefined : await recordAt(parts, origin);
  if (first === undefined || isPassedOn(first)) return record.at;
  return isSame(first.value, record.value) ? Math.min(first.at, record.at) : record.at;
};

const recordAt = async (parts: Parts, origin: string): Promise<LogRecord | undefined> => {
  const { log, names, lanes } = parts;
  const [topic, lane, offset] = origin.split('/');
  const [partition, from] = [Number(lane), Number(offset)];
  if (topic !== names.requests || !Number.isSafeInteger(from) || from < 0) return undefined;
  if (!Number.isSafeInteger(partition) || partition < 0 || partition >= lanes) return undefined;
  try {
    const fetched = await patiently(parts, 'what was passed on', () => log.read(topic, partition, from));
    return fetched.outcome === 'fetched' ? fetched.records.find((one) => one.offset === from) : undefined;
  } catch (error) {
    if (error instanceof LogDefect) return undefined;
    throw error;
  }
};

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a !== null && b !== null && Buffer.compare(a, b) === 0;
