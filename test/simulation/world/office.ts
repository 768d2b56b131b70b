import type { ReplayPolicy } from '@holdfast/events';
import type { ToolContext } from '@holdfast/sdk';
import type { Dice } from '../engine/dice.js';
import type { SimProcess } from '../engine/process.js';
import type { Schedule } from '../engine/schedule.js';

/** A request for an effect that has left its worker. */
export type Sent = {
  readonly key: string;
  readonly policy: ReplayPolicy;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly process: SimProcess;
};
export type Entry = Sent & { readonly receipt: number; readonly at: number };

export type OfficeParts = {
  readonly schedule: Schedule;
  readonly dice: Dice;
  /** How often a call goes wrong outside, 0 to 1. */
  readonly trouble: number;
  readonly keyTtlMs: number;
  /** Called at the very moment of sending. */
  readonly sent: (sent: Sent) => void;
  readonly applied: (entry: Entry, times: number) => void;
};

export const TOOL_TIMEOUT_MS = 1_500;
export const SETTLE_MS = 1_000;
/** The last moment at which an effect lands, after its request was sent, ms. */
const LANDS_MS_MAX = 900;

/**
 * The world outside: it applies effects late, answers late or never, drops requests, and forgets keys. Not
 * transactional. All effects of all runs are entries here, whatever became of those who asked for them.
 */
export class Office {
  readonly entries = new Map<string, Entry[]>();
  private receipts = 0;
  private underWay = 0;

  constructor(private readonly parts: OfficeParts) {}

  get isIdle(): boolean {
    return this.underWay === 0;
  }

  count(key: string): number {
    return this.entries.get(key)?.length ?? 0;
  }

  /** The request leaves now. Rejects when the answer is lost. */
  send(sent: Sent, { signal }: Pick<ToolContext, 'signal'>): Promise<{ receipt: number }> {
    const { dice, schedule, trouble } = this.parts;
    const label = `office ${sent.runId}/${sent.stepId}`;
    this.parts.sent(sent);
    this.underWay += 1;
    const isLost = dice.chance(`${label} lost`, trouble / 3);
    const isSilent = dice.chance(`${label} silent`, trouble / 2);
    const landsMs = dice.chance(`${label} late`, trouble) ? dice.between(`${label} lands`, 100, LANDS_MS_MAX) : 3;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error('the connection was closed'));
      signal.addEventListener('abort', stop, { once: true });
      schedule.after(landsMs, () => {
        this.underWay -= 1;
        const entry = isLost ? null : this.apply(sent);
        if (isSilent) return;
        const answer = (): void => (entry === null ? stop() : resolve({ receipt: entry.receipt }));
        sent.process.after(dice.between(`${label} answers`, 1, 20), 'tool answer', answer);
      });
    });
  }

  private apply(sent: Sent): Entry {
    const { schedule, applied, keyTtlMs } = this.parts;
    const known = this.entries.get(sent.key) ?? [];
    const last = known.at(-1);
    if (sent.policy === 'keyed' && last !== undefined && schedule.now - last.at < keyTtlMs) return last;
    const entry = { ...sent, receipt: (this.receipts += 1), at: schedule.now };
    this.entries.set(sent.key, [...known, entry]);
    applied(entry, known.length + 1);
    return entry;
  }
}
