import { claimKind, decode } from '@holdfast/contracts';
import { LogDefect, type Log, type LogRecord } from '@holdfast/log';
import type { Timer } from '@holdfast/sdk';
import type { ClaimContent, ClaimRead } from '../session/session.messages.js';

export const readClaim = ({ offset, value, headers }: LogRecord): ClaimRead => {
  const decoded = decode(claimKind, value, headers);
  if (!decoded.ok) return { offset, claim: null };
  const { type, data } = decoded.message;
  return { offset, claim: { type, data } as ClaimContent };
};

export type EarlierClaims =
  | { readonly outcome: 'read'; readonly claims: readonly ClaimRead[] }
  /** What was asked for is not kept below `start`. */
  | { readonly outcome: 'lost'; readonly start: number }
  | { readonly outcome: 'defect'; readonly detail: string };

export type Stretch = {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
};

const AGAIN_MS = 200;

/** All claims of [`from`, `to`), or why they cannot be had. Goes on asking while nobody answers. */
export const readEarlierClaims = async (log: Log, timer: Timer, stretch: Stretch): Promise<EarlierClaims> => {
  const { topic, partition, to } = stretch;
  const claims: ClaimRead[] = [];
  for (let next = stretch.from; next < to;) {
    try {
      const fetched = await log.read(topic, partition, next);
      if (fetched.outcome === 'out_of_range' && next < fetched.start) return { outcome: 'lost', start: fetched.start };
      if (fetched.outcome === 'fetched' && fetched.next > next) {
        claims.push(...fetched.records.filter(({ offset }) => offset < to).map(readClaim));
        next = fetched.next;
        continue;
      }
    } catch (error) {
      if (error instanceof LogDefect) return { outcome: 'defect', detail: error.message };
    }
    // Nobody answered, or somebody who does not know yet what was acknowledged.
    await new Promise<void>((resolve) => void timer.after(AGAIN_MS, resolve));
  }
  return { outcome: 'read', claims };
};
