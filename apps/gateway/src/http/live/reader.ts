import type { LiveEvent } from '@holdfast/api';
import type { EndReason } from '@holdfast/events';
import { describeEvent } from '@holdfast/words';
import { eventOf, readEvents, readNews } from '../../store/read-events.js';
import type { EventRow } from '../../store/tables.js';
import type { Bell } from './bell.js';
import { idOf, type LanePositions } from './position.js';
import type { Rows } from '../../store/rows.js';

export type Told = { readonly id: string; readonly event: LiveEvent };

/** What is told live, a piece at a time, in order; nothing where there is nothing new. */
export type LiveReader = {
  /** The lane that it is about; null for all. */
  readonly lane: number | null;
  /** The id after which it begins. */
  readonly from: string;
  read(): Promise<readonly Told[]>;
};

const PIECE = 200;

/** What happens in one run after an event of it. */
export const runReader = (db: Rows, runId: string, lane: number, after: number): LiveReader => {
  let told = after;
  return {
    lane,
    from: String(after),
    read: async () => {
      const rows = await readEvents(db, { runId, filters: {}, order: 'asc', after: told, limit: PIECE });
      told = rows.at(-1)?.seq ?? told;
      return rows.map((row) => ({ id: String(row.seq), event: liveView(row) }));
    },
  };
};

/** What happens in all lanes. A lane is read only when the bell has rung for it, or when more is left than one piece. */
export const allReader = (db: Rows, bell: Bell, from: LanePositions): LiveReader => {
  const positions = [...from];
  const unread = new Set(positions.keys());
  let heard = bell.count;
  return {
    lane: null,
    from: idOf(from),
    read: async () => {
      for (const lane of bell.rungSince(heard)) unread.add(lane);
      heard = bell.count;
      for (const lane of Array.from(unread)) {
        const rows = await readNews(db, lane, positions[lane] ?? -1, PIECE);
        // To the end of the line, so that a busy lane does not keep the others waiting.
        unread.delete(lane);
        if (rows.length === PIECE) unread.add(lane);
        if (rows.length > 0) return rows.map((row) => toldAt(positions, row));
      }
      return [];
    },
  };
};

const toldAt = (positions: LanePositions, row: EventRow): Told => {
  positions[row.lane] = row.seq;
  return { id: idOf(positions), event: liveView(row) };
};

const liveView = (row: EventRow): LiveEvent => {
  const { reason } = row.data as { readonly reason?: EndReason };
  return {
    runId: row.runId,
    lane: row.lane,
    seq: row.seq,
    at: row.at,
    type: row.type,
    words: describeEvent(eventOf(row)),
    ...(row.type === 'RunEnded' && reason !== undefined ? { reason } : {}),
  };
};
