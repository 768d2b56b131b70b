import type { TopicNames } from '@holdfast/contracts';
import type { Log, Seats } from '@holdfast/log';
import { sha256, silentLogger } from '@holdfast/sdk';
import { LaneProjector } from '../../../apps/gateway/src/shell/lane-projector.js';
import type { MemoryStore } from '../../../apps/gateway/src/store/memory-store.js';
import { StoreUnavailable, type Chunk, type Source } from '../../../apps/gateway/src/store/row-store.js';
import type { Dice } from '../engine/dice.js';
import { TICK_MS, type SimProcess } from '../engine/process.js';
import type { Schedule } from '../engine/schedule.js';

export type DatabaseParts = {
  readonly schedule: Schedule;
  readonly dice: Dice;
  readonly rows: MemoryStore;
  /** How often the database does not answer, 0 to 1: half of what it was asked it has done all the same. */
  readonly away: () => number;
};

const COMPARE_MS = 700;

/**
 * The database as one process life sees it: each question and each answer takes its own time, the process may be stopped
 * before either, and what has left it arrives although it is dead.
 */
const databaseOf = (process: SimProcess, { schedule, dice, rows, away }: DatabaseParts) => {
  const ms = (): number => dice.between(`${process.name} rows take`, 1, 30);
  const ask = <T>(what: string, answer: () => T): Promise<T> =>
    new Promise<T>((resolve, reject) =>
      process.leave(`send ${what}`, () => {
        const isLost = dice.chance(`${process.name} ${what} lost`, away());
        const isDone = !isLost || dice.chance(`${process.name} ${what} done`, 0.5);
        schedule.after(ms(), () => {
          const answered = isDone ? answer() : null;
          process.after(ms(), `answer ${what}`, () =>
            isLost ? reject(new StoreUnavailable('nobody answers')) : resolve(answered as T),
          );
        });
      }),
    );
  return {
    write: (chunk: Chunk) => ask('rows', () => rows.writeNow(chunk)),
    position: (source: Source) => ask('position', () => rows.positionNow(source)),
    positions: (topic: string) => ask('position', () => rows.positionsNow(topic)),
  };
};

export type GatewaySurroundings = {
  readonly process: SimProcess;
  readonly log: Log;
  readonly seats: Seats;
  readonly names: TopicNames;
};

/** The part of a gateway that projects, as it ships. */
export const startGateway = ({ process, log, seats, names }: GatewaySurroundings, database: DatabaseParts): void => {
  const { timer } = process;
  const store = databaseOf(process, database);
  const projector = new LaneProjector({
    log,
    topic: names.history,
    digest: sha256,
    store,
    timer,
    logger: silentLogger,
  });
  const pool = { topic: names.laneSeats('gateway'), group: names.group('gateway') };
  void seats.join(pool, (held) => projector.hold(held));
  timer.every(TICK_MS, () => projector.tick());
  timer.every(COMPARE_MS, () => void projector.compare().catch(() => undefined));
};
