import { hasEffect, replayPolicies } from '@holdfast/events';
import { AttemptEntity, DoubtEntity, QuestionEntity, StepEntity } from './entities.js';
import { containing } from './read-runs.js';
import type { AttemptRow, DoubtRow, QuestionRow, StepRow } from './tables.js';
import { select, type Rows } from './rows.js';

export type StepFilters = {
  readonly status?: readonly string[] | undefined;
  readonly text?: string | undefined;
};

/** Steps of a run in the order in which they were scheduled first. */
export const readSteps = async (
  db: Rows,
  of: { readonly runId: string; readonly filters: StepFilters },
  after: number | null,
  limit: number,
): Promise<readonly StepRow[]> => {
  const { runId, filters } = of;
  const query = (await select(db, StepEntity, 's')).where('s.runId = :runId', { runId });
  if (filters.status !== undefined) query.andWhere('s.status IN (:...status)', { status: filters.status });
  if (filters.text !== undefined && filters.text !== '') {
    query.andWhere('(s.stepId ILIKE :pattern OR s.tool ILIKE :pattern)', { pattern: containing(filters.text) });
  }
  if (after !== null) query.andWhere('s.firstSeq > :after', { after });
  return query.orderBy('s.firstSeq', 'ASC').limit(limit).getMany();
};

export const readStep = async (db: Rows, runId: string, stepId: string): Promise<StepRow | null> =>
  (await select(db, StepEntity, 's')).where('s.runId = :runId AND s.stepId = :stepId', { runId, stepId }).getOne();

export type AttemptFilters = {
  readonly step?: string | undefined;
  /** Only attempts at steps that change something outside, and of them only those with such an effect. */
  readonly effects?: readonly string[] | 'any' | undefined;
};

const policies = replayPolicies.filter(hasEffect);

/** Attempts of a run in the order in which they were scheduled. */
export const readAttempts = async (
  db: Rows,
  of: { readonly runId: string; readonly filters: AttemptFilters },
  after: number | null,
  limit: number,
): Promise<readonly AttemptRow[]> => {
  const { runId, filters } = of;
  const query = (await select(db, AttemptEntity, 'a')).where('a.runId = :runId', { runId });
  if (filters.step !== undefined) query.andWhere('a.stepId = :step', { step: filters.step });
  if (filters.effects !== undefined) query.andWhere('a.policy IN (:...policies)', { policies });
  if (filters.effects !== undefined && filters.effects !== 'any')
    query.andWhere('a.effect IN (:...effects)', { effects: filters.effects });
  if (after !== null) query.andWhere('a.firstSeq > :after', { after });
  return query.orderBy('a.firstSeq', 'ASC').limit(limit).getMany();
};

/** Where a list of doubts or questions goes on: the time by which it is ordered, the run, the number. */
export type AfterSeq = readonly [at: number, runId: string, seq: number];
const named = ([at, runId, seq]: AfterSeq) => ({ afterAt: at, afterId: runId, afterSeq: seq });

export type DoubtFilters = { readonly run?: string | undefined; readonly open?: boolean | undefined };

/** Doubts, the latest first. */
export const readDoubts = async (
  db: Rows,
  filters: DoubtFilters,
  after: AfterSeq | null,
  limit: number,
): Promise<readonly DoubtRow[]> => {
  const query = await select(db, DoubtEntity, 'd');
  if (filters.run !== undefined) query.andWhere('d.runId = :run', { run: filters.run });
  if (filters.open !== undefined) query.andWhere(`d.endedAt IS ${filters.open ? '' : 'NOT '}NULL`);
  if (after !== null) query.andWhere('(d.openedAt, d.runId, d.seq) < (:afterAt, :afterId, :afterSeq)', named(after));
  return query
    .orderBy('d.openedAt', 'DESC')
    .addOrderBy('d.runId', 'DESC')
    .addOrderBy('d.seq', 'DESC')
    .limit(limit)
    .getMany();
};

export type QuestionFilters = { readonly run?: string | undefined; readonly status?: readonly string[] | undefined };

/** Whether only open questions are asked for: they come by the time at which they run out, the most urgent first. */
export const isInbox = ({ status }: QuestionFilters): boolean => status?.length === 1 && status[0] === 'open';

/** The time by which a list of questions is ordered. */
export const questionTime = (filters: QuestionFilters, row: QuestionRow): number =>
  isInbox(filters) ? row.expiresAt : row.openedAt;

export const readQuestions = async (
  db: Rows,
  filters: QuestionFilters,
  after: AfterSeq | null,
  limit: number,
): Promise<readonly QuestionRow[]> => {
  const [column, order, sign] = isInbox(filters)
    ? (['q.expiresAt', 'ASC', '>'] as const)
    : (['q.openedAt', 'DESC', '<'] as const);
  const query = await select(db, QuestionEntity, 'q');
  if (filters.run !== undefined) query.andWhere('q.runId = :run', { run: filters.run });
  if (filters.status !== undefined) query.andWhere('q.status IN (:...status)', { status: filters.status });
  if (after !== null) {
    query.andWhere(`(${column}, q.runId, q.seq) ${sign} (:afterAt, :afterId, :afterSeq)`, named(after));
  }
  return query.orderBy(column, order).addOrderBy('q.runId', order).addOrderBy('q.seq', order).limit(limit).getMany();
};

/** The question that a plan asks with a step: the latest, open or not; null where it has asked none. */
export const readQuestionOf = async (db: Rows, runId: string, stepId: string): Promise<QuestionRow | null> =>
  (await select(db, QuestionEntity, 'q'))
    .where("q.runId = :runId AND q.stepId = :stepId AND q.kind = 'question'", { runId, stepId })
    .orderBy('q.seq', 'DESC')
    .limit(1)
    .getOne();
