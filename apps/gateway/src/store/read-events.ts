import type { HistoryEvent, HistoryRecord } from '@holdfast/events';
import { EventEntity } from './entities.js';
import { containing } from './read-runs.js';
import type { EventRow } from './tables.js';
import { select, type Rows } from './rows.js';

export type EventFilters = {
  readonly type?: readonly string[] | undefined;
  readonly text?: string | undefined;
  readonly step?: string | undefined;
  /** Where the list begins, in the order that is asked for. */
  readonly from?: number | undefined;
};

export type EventOrder = 'asc' | 'desc';

export type EventsOf = {
  readonly runId: string;
  readonly filters: EventFilters;
  readonly order: EventOrder;
  /** Number of the event after which the list goes on; null from its begin. */
  readonly after: number | null;
  readonly limit: number;
};

/** Events of a run in the order of their lane, or against it. */
export const readEvents = async (db: Rows, asked: EventsOf): Promise<readonly EventRow[]> => {
  const { runId, filters, order, after, limit } = asked;
  const query = (await select(db, EventEntity, 'e')).where('e.runId = :runId', { runId });
  if (filters.type !== undefined) query.andWhere('e.type IN (:...types)', { types: filters.type });
  if (filters.step !== undefined) query.andWhere('e.stepId = :step', { step: filters.step });
  if (filters.text !== undefined && filters.text !== '') {
    query.andWhere('(e.type ILIKE :pattern OR e.principal ILIKE :pattern OR CAST(e.data AS text) ILIKE :pattern)', {
      pattern: containing(filters.text),
    });
  }
  if (filters.from !== undefined)
    query.andWhere(`e.seq ${order === 'asc' ? '>=' : '<='} :from`, { from: filters.from });
  if (after !== null) query.andWhere(`e.seq ${order === 'asc' ? '>' : '<'} :after`, { after });
  return query
    .orderBy('e.seq', order === 'asc' ? 'ASC' : 'DESC')
    .limit(limit)
    .getMany();
};

const EVERYTHING = { order: 'asc', filters: {} } as const;
const PIECE = 2_000;

/** Events of a run after one number and up to another one, both as in its lane, oldest first, a piece at a time. */
export async function* eventsBetween(
  db: Rows,
  runId: string,
  after: number,
  upTo: number,
): AsyncGenerator<readonly EventRow[]> {
  for (let from = after; ;) {
    const rows = await readEvents(db, { runId, after: from, limit: PIECE, ...EVERYTHING });
    const wanted = rows.filter(({ seq }) => seq <= upTo);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < PIECE) return;
    from = wanted.at(-1)?.seq ?? from;
  }
}

/** The events with these numbers in a lane. */
export const readEventsAt = async (db: Rows, lane: number, seqs: readonly number[]): Promise<readonly EventRow[]> =>
  seqs.length === 0
    ? []
    : (await select(db, EventEntity, 'e')).where('e.lane = :lane AND e.seq IN (:...seqs)', { lane, seqs }).getMany();

/** The last event of a type that a run has up to a number, of one step where it is named. */
export const readLastEvent = async (
  db: Rows,
  of: { readonly runId: string; readonly type: string; readonly stepId?: string; readonly upTo?: number },
): Promise<EventRow | null> => {
  const { runId, type, stepId, upTo } = of;
  const query = (await select(db, EventEntity, 'e')).where('e.runId = :runId AND e.type = :type', { runId, type });
  if (stepId !== undefined) query.andWhere('e.stepId = :stepId', { stepId });
  if (upTo !== undefined) query.andWhere('e.seq <= :upTo', { upTo });
  return query.orderBy('e.seq', 'DESC').limit(1).getOne();
};

/** What goes on in a lane after a number, without the positions that a coordinator writes with everything it decides. */
export const readNews = async (db: Rows, lane: number, after: number, limit: number): Promise<readonly EventRow[]> =>
  (await select(db, EventEntity, 'e'))
    .where("e.lane = :lane AND e.seq > :after AND e.type <> 'LaneAdvanced'", { lane, after })
    .orderBy('e.seq', 'ASC')
    .limit(limit)
    .getMany();

/** The last number that is known of each lane. */
export const readLaneEnds = async (db: Rows): Promise<ReadonlyMap<number, number>> => {
  const rows = await (
    await select(db, EventEntity, 'e')
  )
    .select('e.lane', 'lane')
    .addSelect('max(e.seq)', 'seq')
    .groupBy('e.lane')
    .getRawMany<{ lane: number; seq: number }>();
  return new Map(rows.map(({ lane, seq }) => [lane, seq]));
};

/** The event of a row; all events are of version 1. */
export const eventOf = ({ type, data }: EventRow): HistoryEvent =>
  ({ type, version: 1, data }) as unknown as HistoryEvent;

/** A row as the record that it was, as far as folding and telling need it. */
export const recordOf = (row: EventRow): HistoryRecord => ({
  id: `${row.lane}/${row.seq}`,
  time: new Date(row.at).toISOString(),
  subject: row.runId,
  principal: row.principal,
  lane: { epoch: 1, seq: row.seq, owner: 'projected', first: row.seq, size: 1 },
  prev: null,
  event: eventOf(row),
});

/** The whole history of a run, of its last life where its id was used again; null where it has none. */
export const readHistory = async (db: Rows, runId: string): Promise<readonly HistoryRecord[] | null> => {
  const accepted = await readLastEvent(db, { runId, type: 'RunAccepted' });
  if (accepted === null) return null;
  const records: HistoryRecord[] = [];
  for await (const rows of eventsBetween(db, runId, accepted.seq - 1, Number.MAX_SAFE_INTEGER)) {
    for (const row of rows) records.push(recordOf(row));
  }
  return records;
};
