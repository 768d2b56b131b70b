import {
  BudgetEntity,
  DeadLetterEntity,
  ExecutorEntity,
  LaneEntity,
  MemberEntity,
  ProjectionEntity,
  ResendEntity,
} from './entities.js';
import type { BudgetRow, DeadLetterRow, ExecutorRow, LaneRow, MemberRow, ProjectionRow, ResendRow } from './tables.js';
import { select, type Rows } from './rows.js';

export const readExecutors = async (db: Rows): Promise<readonly ExecutorRow[]> =>
  (await select(db, ExecutorEntity, 'x')).orderBy('x.lastBeatAt', 'DESC').getMany();

export const readLanes = async (db: Rows): Promise<readonly LaneRow[]> =>
  (await select(db, LaneEntity, 'x')).orderBy('x.lane', 'ASC').getMany();

export const readCoordinators = async (db: Rows): Promise<readonly MemberRow[]> =>
  (await select(db, MemberEntity, 'x')).where("x.role = 'coordinator'").getMany();

export const readProjections = async (db: Rows): Promise<readonly ProjectionRow[]> =>
  (await select(db, ProjectionEntity, 'x')).orderBy('x.source', 'ASC').addOrderBy('x.partition', 'ASC').getMany();

export const readBudgets = async (db: Rows, owner: string): Promise<readonly BudgetRow[]> =>
  (await select(db, BudgetEntity, 'x')).where('x.owner = :owner', { owner }).orderBy('x.kind', 'ASC').getMany();

/** Where a list of dead letters goes on. */
export type AfterLetter = readonly [at: number, partition: number, offset: number];

const SHOWN = [
  ...(['partition', 'offset', 'sourceTopic', 'sourcePartition', 'sourceOffset', 'key'] as const),
  ...(['code', 'reason', 'by', 'at', 'bytes'] as const),
];
export type DeadLetterSummary = Omit<DeadLetterRow, 'value'>;

/** Dead letters without their bytes, the latest first. */
export const readDeadLetters = async (
  db: Rows,
  topic: string | undefined,
  after: AfterLetter | null,
  limit: number,
): Promise<readonly DeadLetterSummary[]> => {
  const query = (await select(db, DeadLetterEntity, 'd')).select(SHOWN.map((name) => `d.${name}`));
  if (topic !== undefined) query.andWhere('d.sourceTopic = :topic', { topic });
  if (after !== null) {
    const [afterAt, afterPartition, afterOffset] = after;
    query.andWhere('(d.at, d.partition, d.offset) < (:afterAt, :afterPartition, :afterOffset)');
    query.setParameters({ afterAt, afterPartition, afterOffset });
  }
  return query
    .orderBy('d.at', 'DESC')
    .addOrderBy('d.partition', 'DESC')
    .addOrderBy('d.offset', 'DESC')
    .limit(limit)
    .getMany();
};

export const readDeadLetter = async (db: Rows, partition: number, offset: number): Promise<DeadLetterRow | null> =>
  (await select(db, DeadLetterEntity, 'd'))
    .where('d.partition = :partition AND d.offset = :offset', { partition, offset })
    .getOne();

/** How often each of these letters was sent again, and by whom last, by partition and offset. */
export const readResends = async (
  db: Rows,
  letters: readonly Pick<DeadLetterRow, 'partition' | 'offset'>[],
): Promise<readonly ResendRow[]> => {
  if (letters.length === 0) return [];
  const [partitions, offsets] = [letters.map(({ partition }) => partition), letters.map(({ offset }) => offset)];
  return (await select(db, ResendEntity, 'r'))
    .where('(r.partition, r.letter) IN (SELECT * FROM unnest(CAST(:partitions AS int[]), CAST(:offsets AS bigint[])))')
    .setParameters({ partitions, offsets })
    .orderBy('r.offset', 'ASC')
    .getMany();
};
