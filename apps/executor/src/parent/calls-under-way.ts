import type { CallBegun } from '../channel/channel.js';

const DEATHS_KEPT = 10_000;

/** What the worker was doing, as far as it has said: for the watchdog, and for counting deaths. */
export class CallsUnderWay {
  private readonly calls = new Map<string, CallBegun>();
  private readonly deaths = new Map<string, number>();
  private readonly condemned = new Set<string>();

  constructor(private readonly deathsMax: number) {}

  get size(): number {
    return this.calls.size;
  }

  said(begun: readonly CallBegun[], ended: readonly string[]): void {
    for (const id of ended) {
      this.calls.delete(id);
      this.deaths.delete(id);
    }
    for (const call of begun) this.calls.set(call.attemptId, call);
  }

  /** Whether some call should have ended by `now`. */
  anyPast(now: number, graceMs: number): boolean {
    for (const { deadline } of this.calls.values()) if (now > deadline + graceMs) return true;
    return false;
  }

  /**
   * The worker is gone. A `pure` attempt is run again by the next one, so nobody else would notice that it is what kills
   * them; all others are counted by their coordinator.
   */
  workerDied(): void {
    for (const { attemptId, pure } of this.calls.values()) {
      if (!pure) continue;
      const deaths = (this.deaths.get(attemptId) ?? 0) + 1;
      this.deaths.set(attemptId, deaths);
      if (deaths >= this.deathsMax) this.condemned.add(attemptId);
    }
    this.calls.clear();
    dropOldest(this.deaths, this.condemned);
  }

  /** One more death, and they are condemned: the next worker calls them with nothing beside. */
  suspects(): readonly string[] {
    return [...this.deaths].flatMap(([id, deaths]) => (deaths + 1 === this.deathsMax ? [id] : []));
  }

  quarantined(): readonly string[] {
    return [...this.condemned];
  }
}

const dropOldest = (...memories: readonly (Map<string, number> | Set<string>)[]): void => {
  for (const memory of memories) {
    for (const id of memory.keys()) {
      if (memory.size <= DEATHS_KEPT) break;
      memory.delete(id);
    }
  }
};
