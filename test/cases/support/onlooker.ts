import type { Choice, HistoryRecord, RunEventData } from '@holdfast/events';
import { eventually } from '@holdfast/dev';
import { followLanes, sha256, type LanesFollower } from '@holdfast/sdk';
import type { LedgerEntry } from '../../e2e/support/conduct.js';
import { History } from '../../e2e/support/runs.js';
import type { World } from '../../e2e/support/world.js';

/** Under which name the effect of a step is found in the ledger, after the run's id. */
type NameOf = (stepId: string) => string;

const LONG_MS = 110_000;

/**
 * Follows all runs of a world from outside, with every hash compared. About those that are put into its care it answers
 * what people are asked: it looks into the ledger each time and says what is there.
 */
export class Onlooker {
  private readonly records = new Map<string, HistoryRecord[]>();
  private readonly cares = new Map<string, NameOf>();
  private readonly follower: LanesFollower;
  private failure: unknown = null;

  private constructor(readonly world: World) {
    this.follower = followLanes({
      log: world.log,
      topic: world.names.history,
      digest: sha256,
      onRecord: ({ record, folded }) => {
        if (folded === 'valid' && record.subject !== null) this.note(record.subject, record);
      },
      onDefect: (defect) => (this.failure ??= defect),
    });
  }

  static async of(world: World): Promise<Onlooker> {
    const onlooker = new Onlooker(world);
    const lanes = await world.client.lanes();
    for (let lane = 0; lane < lanes; lane += 1) onlooker.follower.follow(lane);
    return onlooker;
  }

  /** From now on it answers truthfully what is asked about the run. */
  careFor(runId: string, nameOf: NameOf = (stepId) => stepId): void {
    this.cares.set(runId, nameOf);
    for (const record of this.records.get(runId) ?? []) this.answer(runId, record);
  }

  history(runId: string): History {
    const lane = this.records.get(runId)?.[0]?.id.split('/')[0];
    const counts = lane === undefined ? undefined : this.follower.state(Number(lane))?.counts;
    return new History(this.records.get(runId) ?? [], { valid: 0, void: 0, repeated: 0, ...counts });
  }

  /** Waits until the history of a run holds what is looked for. */
  until<T>(runId: string, what: string, look: (history: History) => T | null | undefined | false) {
    return eventually(
      `run ${runId} ${what}; the services' logs are in ${this.world.folder}`,
      () => {
        if (this.failure !== null) throw this.failure as Error;
        return look(this.history(runId));
      },
      LONG_MS,
    );
  }

  ended(runId: string): Promise<RunEventData<'RunEnded'>> {
    return this.until(runId, 'ends', (history) => history.all('RunEnded')[0]?.data);
  }

  private note(runId: string, record: HistoryRecord): void {
    this.records.set(runId, [...(this.records.get(runId) ?? []), record]);
    this.answer(runId, record);
  }

  private answer(runId: string, { event, lane }: HistoryRecord): void {
    const nameOf = this.cares.get(runId);
    if (nameOf === undefined || event.type !== 'EscalationOpened') return;
    const { stepId, choices } = event.data;
    const [entry] = this.world.ledger.entries(`${runId}/${nameOf(stepId)}`);
    const note = 'looked into the ledger';
    const answer = { escalation: lane.seq, note, ...truth(choices, entry) };
    this.world.runs.answer(runId, answer).catch((error: unknown) => (this.failure ??= error));
  }
}

/** What is the case, out of what may be said: a step that did not act so far may always be made again. */
const truth = (choices: readonly Choice[], entry: LedgerEntry | undefined) => {
  if (choices.includes('retry')) return { choice: 'retry' as const };
  if (entry === undefined) return { choice: 'absent' as const };
  return { choice: 'applied' as const, result: { receipt: entry.receipt } };
};
