import type { SelectQueryBuilder } from 'typeorm';
import { DeadLetterEntity, DoubtEntity, QuestionEntity, RunEntity } from './entities.js';
import type { RunRow } from './tables.js';
import { select, type Rows } from './rows.js';

export type RunFilters = {
  readonly status?: readonly string[] | undefined;
  readonly reason?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Part of a run id, of a label, of the reason of its end. */
  readonly text?: string | undefined;
  readonly acceptedFrom?: number | undefined;
  readonly acceptedTo?: number | undefined;
  readonly tenant?: string | undefined;
};

/** Where a list goes on: after the run that was accepted then. */
export type AfterRun = readonly [acceptedAt: number, runId: string];

/** Runs, the latest first. */
export const readRuns = async (
  db: Rows,
  filters: RunFilters,
  after: AfterRun | null,
  limit: number,
): Promise<readonly RunRow[]> => {
  const query = await select(db, RunEntity, 'r');
  filter(query, filters);
  if (after !== null) query.andWhere('(r.acceptedAt, r.runId) < (:afterAt, :afterId)', named(after));
  return query.orderBy('r.acceptedAt', 'DESC').addOrderBy('r.runId', 'DESC').limit(limit).getMany();
};

const named = ([afterAt, afterId]: AfterRun) => ({ afterAt, afterId });

const filter = (query: SelectQueryBuilder<RunRow>, filters: RunFilters): void => {
  const { status, reason, labels, text, acceptedFrom, acceptedTo, tenant } = filters;
  if (status !== undefined) query.andWhere('r.status IN (:...status)', { status });
  if (reason !== undefined) query.andWhere('r.reason IN (:...reason)', { reason });
  if (labels !== undefined) query.andWhere('r.labels @> CAST(:labels AS jsonb)', { labels: JSON.stringify(labels) });
  if (acceptedFrom !== undefined) query.andWhere('r.acceptedAt >= :acceptedFrom', { acceptedFrom });
  if (acceptedTo !== undefined) query.andWhere('r.acceptedAt <= :acceptedTo', { acceptedTo });
  if (tenant !== undefined) query.andWhere('r.tenant = :tenant', { tenant });
  if (text === undefined || text === '') return;
  query.andWhere(
    '(r.runId ILIKE :pattern OR CAST(r.labels AS text) ILIKE :pattern OR r.reason ILIKE :pattern OR r.detail ILIKE :pattern)',
    {
      pattern: containing(text),
    },
  );
};

/** A pattern for what holds this text, whatever is in it. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

export const readRun = async (db: Rows, runId: string): Promise<RunRow | null> =>
  (await select(db, RunEntity, 'r')).where('r.runId = :runId', { runId }).getOne();

export type Counted = {
  readonly runs: Readonly<Record<string, number>>;
  readonly doubtsOpen: number;
  readonly questionsOpen: number;
  readonly deadLetters: number;
};

/** How many there are of what a person may want to look at. */
export const countAll = async (db: Rows): Promise<Counted> => {
  const byStatus = (await select(db, RunEntity, 'r'))
    .select('r.status', 'status')
    .addSelect('count(*)::int', 'runs')
    .groupBy('r.status')
    .getRawMany<{ status: string; runs: number }>();
  const open = 'x.endedAt IS NULL';
  const [statuses, doubtsOpen, questionsOpen, deadLetters] = await Promise.all([
    byStatus,
    (await select(db, DoubtEntity, 'x')).where(open).getCount(),
    (await select(db, QuestionEntity, 'x')).where("x.status = 'open'").getCount(),
    (await select(db, DeadLetterEntity, 'x'))
      .where(`NOT EXISTS (SELECT FROM resends r WHERE r.partition = x.partition AND r.letter = x.offset)`)
      .getCount(),
  ]);
  return {
    runs: Object.fromEntries(statuses.map(({ status, runs }) => [status, runs])),
    doubtsOpen,
    questionsOpen,
    deadLetters,
  };
};
