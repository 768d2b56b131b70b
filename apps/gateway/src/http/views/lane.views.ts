import type { LaneView } from '@holdfast/api';
import type { LaneRow, MemberRow } from '../../store/tables.js';

/** A lane as the database has it. */
export type LaneRows = {
  readonly lane: number;
  /** Null before its first record is projected. */
  readonly row: LaneRow | null;
  /** Offset up to which its history is projected, exclusive. */
  readonly projected: number;
  /** Its owner's last heartbeat. */
  readonly owner: MemberRow | null;
};

/** The same lane as the log has it. */
export type LaneEnds = {
  readonly end: number;
  readonly requestsEnd: number;
  readonly requestsTopic: string;
  readonly now: number;
  readonly broken: string | null;
};

export const laneView = ({ lane, row, projected, owner }: LaneRows, log: LaneEnds): LaneView => {
  const lagRecords = Math.max(0, log.end - projected);
  const taken = (row?.positions ?? {}) as Readonly<Record<string, number>>;
  return {
    lane,
    epoch: row?.epoch ?? 0,
    owner: row?.owner ?? null,
    ownerBeatAt: owner?.lastBeatAt ?? null,
    end: log.end,
    projected,
    lagRecords,
    lagMs: lagRecords === 0 || row === null ? 0 : Math.max(0, log.now - row.writtenAt),
    requestsWaiting: Math.max(0, log.requestsEnd - (taken[log.requestsTopic] ?? 0)),
    runsOpen: row?.runsOpen ?? 0,
    broken: log.broken,
  };
};
