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

/** How long after a call's deadline its effect may still land, as its tool declares, ms. */
export const SETTLE_MS = 1_000;
/** It really does within this time, after its deadline or after its process is gone, ms. */
const LANDS_MS_MAX = 900;

/** What becomes of a request: its effect may land although nobody is told, or the connection is lost at once. */
type Fate = { readonly isLost: boolean; readonly answer: 'yes' | 'none' | 'cut'; readonly landsMs: number };
type Flying = { readonly process: SimProcess; landed: boolean; readonly land: () => void };

/**
 * The world outside: it applies effects late, answers late or never, cuts connections, drops requests, and forgets keys.
 * Not transactional. All effects of all runs are entries here, whatever became of those who asked for them.
 */
export class Office {
  readonly entries = new Map<string, Entry[]>();
  private readonly flying = new Set<Flying>();
  private receipts = 0;

  constructor(private readonly parts: OfficeParts) {}

  get isIdle(): boolean {
    return this.flying.size === 0;
  }

  count(key: string): number {
    return this.entries.get(key)?.length ?? 0;
  }

  /** The request leaves now. Rejects when the answer is lost. */
  send(sent: Sent, { signal, deadline }: Pick<ToolContext, 'signal' | 'deadline'>): Promise<{ receipt: number }> {
    const { schedule } = this.parts;
    this.parts.sent(sent);
    const fate = this.fateOf(sent, deadline - sent.process.times().now);
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new Error('the connection was closed'));
      signal.addEventListener('abort', stop, { once: true });
      if (fate.answer === 'cut') sent.process.after(5, 'tool answer', stop);
      const land = (): void => {
        const entry = fate.isLost ? null : this.apply(sent);
        if (fate.answer !== 'yes') return;
        sent.process.after(5, 'tool answer', () => (entry === null ? stop() : resolve({ receipt: entry.receipt })));
      };
      this.fly({ process: sent.process, landed: false, land }, fate.landsMs);
      if (!sent.process.isAlive) schedule.after(0, () => this.processDied(sent.process));
    });
  }

  /** Its connections are closed: what was under way lands soon, or not at all. */
  processDied(process: SimProcess): void {
    for (const flight of this.flying) {
      if (flight.process === process) this.parts.schedule.after(LANDS_MS_MAX, () => this.land(flight));
    }
  }

  private fateOf({ runId, stepId }: Sent, leftMs: number): Fate {
    const { dice, trouble } = this.parts;
    const label = `office ${runId}/${stepId}`;
    const isLost = dice.chance(`${label} lost`, trouble / 3);
    const answer = dice.chance(`${label} silent`, trouble)
      ? dice.pick(`${label} how`, ['none', 'cut'] as const)
      : 'yes';
    const isLate = dice.chance(`${label} late`, trouble);
    // A request whose connection was cut may be held up somewhere until its deadline is long over.
    const latest = answer === 'yes' ? LANDS_MS_MAX : Math.max(0, leftMs) + LANDS_MS_MAX;
    return { isLost, answer, landsMs: isLate ? dice.between(`${label} lands`, 100, latest) : 3 };
  }

  private fly(flight: Flying, ms: number): void {
    this.flying.add(flight);
    this.parts.schedule.after(ms, () => this.land(flight));
  }

  private land(flight: Flying): void {
    if (flight.landed) return;
    flight.landed = true;
    this.flying.delete(flight);
    flight.land();
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
