import type { DataSource } from 'typeorm';
import {
  BudgetEntity,
  DeadLetterEntity,
  ExecutorEntity,
  LaneEntity,
  MemberEntity,
  ProjectionEntity,
} from './entities.js';
import type { BudgetRow, DeadLetterRow, ExecutorRow, LaneRow, MemberRow, ProjectionRow } from './tables.js';

export const readExecutors = (source: DataSource): Promise<readonly ExecutorRow[]> =>
  source.getRepository(ExecutorEntity).createQueryBuilder('x').orderBy('x.lastBeatAt', 'DESC').getMany();

export const readLanes = (source: DataSource): Promise<readonly LaneRow[]> =>
  source.getRepository(LaneEntity).createQueryBuilder('x').orderBy('x.lane', 'ASC').getMany();

export const readCoordinators = (source: DataSource): Promise<readonly MemberRow[]> =>
  source.getRepository(MemberEntity).createQueryBuilder('x').where("x.role = 'coordinator'").getMany();

export const readProjections = (source: DataSource): Promise<readonly ProjectionRow[]> =>
  source.getRepository(ProjectionEntity).find({ order: { source: 'ASC', partition: 'ASC' } });

export const readBudgets = (source: DataSource, owner: string): Promise<readonly BudgetRow[]> =>
  source.getRepository(BudgetEntity).find({ where: { owner }, order: { kind: 'ASC' } });

/** Where a list of dead letters goes on. */
export type AfterLetter = readonly [at: number, partition: number, offset: number];

const SHOWN = [
  ...(['partition', 'offset', 'sourceTopic', 'sourcePartition', 'sourceOffset', 'key', 'code', 'reason'] as const),
  ...(['by', 'at', 'bytes', 'sentAgain', 'sentAgainBy'] as const),
];
export type DeadLetterSummary = Omit<DeadLetterRow, 'value'>;

/** Dead letters without their bytes, the latest first. */
export const readDeadLetters = (
  source: DataSource,
  topic: string | undefined,
  after: AfterLetter | null,
  limit: number,
): Promise<readonly DeadLetterSummary[]> => {
  const query = source
    .getRepository(DeadLetterEntity)
    .createQueryBuilder('d')
    .select(SHOWN.map((name) => `d.${name}`));
  if (topic !== undefined) query.andWhere('d.sourceTopic = :topic', { topic });
  if (after !== null) {
    const [afterAt, afterPartition, afterOffset] = after;
    query.andWhere('(d.at, d.partition, d.offset) < (:afterAt, :afterPartition, :afterOffset)', {
      ...{ afterAt, afterPartition, afterOffset },
    });
  }
  return query
    .orderBy('d.at', 'DESC')
    .addOrderBy('d.partition', 'DESC')
    .addOrderBy('d.offset', 'DESC')
    .limit(limit)
    .getMany();
};

export const readDeadLetter = (source: DataSource, partition: number, offset: number): Promise<DeadLetterRow | null> =>
  source
    .getRepository(DeadLetterEntity)
    .createQueryBuilder('d')
    .where('d.partition = :partition AND d.offset = :offset', { partition, offset })
    .getOne();
