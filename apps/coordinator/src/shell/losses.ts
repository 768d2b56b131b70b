import type { TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { ClaimsKeeper } from '../claims/claims-keeper.js';
import type { Leases } from '../fleet/leases.js';
import type { Rules } from '../run/rules.js';
import { holdersOf } from './holders.js';
import type { LaneRunner } from './lane-runner.js';

export type LossesParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly logger: ServiceLogger;
  readonly keeper: ClaimsKeeper;
  readonly rules: Pick<Rules, 'leaseIsALevel' | 'journalBeforeDoubt'>;
  readonly leases: Leases;
  readonly runners: ReadonlyMap<number, LaneRunner>;
};

/** Tells lanes that a session which holds their attempts is gone, once what it may have said has been read. */
export class Losses {
  readonly #declaring = new Set<string>();
  /** Only when that rule is switched off: sessions that were seen alive while they held something. */
  readonly #known = new Set<string>();

  constructor(readonly parts: LossesParts) {}

  /** Whoever holds something has a lease running; whoever is gone is declared lost to the lanes that wait for its word. */
  review(): void {
    const { leases, runners, rules } = this.parts;
    const all = new Set<string>();
    for (const runner of runners.values()) {
      if (!runner.leading) continue;
      const holders = holdersOf(runner.machine);
      for (const session of holders) {
        all.add(session);
        leases.expect(session);
        const gone = leases.ended(session) !== undefined || leases.expired(session);
        if (!gone && !rules.leaseIsALevel) this.#known.add(session);
        const counts = rules.leaseIsALevel || this.#known.has(session);
        if (gone && counts && !runner.machine.lost.has(session)) void this.#declare(runner, session);
      }
      // Nothing of it is left: a claim of it that turns up later makes it a holder again.
      for (const session of runner.machine.lost.keys()) {
        if (!holders.has(session)) runner.dispatch({ type: 'SessionBack', session });
      }
    }
    leases.keepOnly(all);
  }

  back(session: string): void {
    this.parts.logger.info({ session }, 'a session that had expired is alive again');
    for (const runner of this.parts.runners.values()) runner.dispatch({ type: 'SessionBack', session });
  }

  /** Claims and journal are read to ends fetched after the loss was learned: what the session has said counts first. */
  async #declare(runner: LaneRunner, session: string): Promise<void> {
    const { log, names, logger, keeper, leases, rules } = this.parts;
    const { lane } = runner.setting;
    const key = `${lane}/${session}`;
    if (this.#declaring.has(key)) return;
    this.#declaring.add(key);
    try {
      await keeper.look();
      if (rules.journalBeforeDoubt) {
        const { end } = await log.bounds(names.journal, lane);
        await runner.intake.reached(names.journal, end);
      }
      const ended = leases.ended(session);
      if (ended === undefined && !leases.expired(session)) return;
      const cause = ended === undefined ? 'session_expired' : 'session_ended';
      logger.info({ lane, session, cause }, 'a session that holds attempts is gone');
      const loss = { cause, endedAt: ended?.endedAt ?? null, clean: ended?.clean ?? false } as const;
      failpoint('coordinator.loss.before');
      runner.dispatch({ type: 'SessionLost', session, loss });
    } catch (error) {
      logger.warn({ session, err: error }, 'the loss of a session could not be confirmed, trying again');
    } finally {
      this.#declaring.delete(key);
    }
  }
}
