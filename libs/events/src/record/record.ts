import { z } from 'zod';
import { isWithinDepth } from '../json.js';
import { LIMITS } from '../limits.js';
import { isLaneEvent, laneEventSchema, type LaneEvent } from '../lane/lane.events.js';
import { runEventSchema, type RunEvent } from '../run/run.events.js';

/** Where a record stands in its lane: term, number, writer, and the batch it belongs to. */
export const lanePlaceSchema = z.object({
  epoch: z.int().positive(),
  seq: z.int().nonnegative(),
  owner: z.string().min(1),
  first: z.int().nonnegative(),
  size: z.int().positive(),
});
export type LanePlace = z.infer<typeof lanePlaceSchema>;

export type HistoryEvent = RunEvent | LaneEvent;
export type HistoryRecord = {
  readonly id: string;
  readonly time: string;
  readonly subject: string | null;
  readonly principal: string | null;
  readonly lane: LanePlace;
  /** SHA-256 of the value bytes of the run's record before this one; null for its first and for lane events. */
  readonly prev: string | null;
  readonly event: HistoryEvent;
};

/** What every record of history has around its event's data. */
export const historyOuterSchema = z.object({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  dataversion: z.int().positive(),
  subject: z.string().optional(),
  time: z.string(),
  principal: z.string().optional(),
  lane: lanePlaceSchema,
  prev: z.string().optional(),
  data: z.unknown(),
});

const SOURCE = 'holdfast/coordinator';

/** The value bytes of a history record: one CloudEvents 1.0 JSON object in structured mode. */
export const encodeHistory = (record: HistoryRecord): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      specversion: '1.0',
      id: record.id,
      source: SOURCE,
      type: record.event.type,
      dataversion: record.event.version,
      ...(record.subject === null ? {} : { subject: record.subject }),
      time: record.time,
      ...(record.principal === null ? {} : { principal: record.principal }),
      lane: record.lane,
      ...(record.prev === null ? {} : { prev: record.prev }),
      data: record.event.data,
    }),
  );

export type DecodedHistory =
  { readonly ok: true; readonly record: HistoryRecord } | { readonly ok: false; readonly problem: string };

/** Reads a history record. An unknown type or version is a problem: a reader that skips it would fold another state. */
export const decodeHistory = (value: Uint8Array | null): DecodedHistory => {
  if (value === null) return { ok: false, problem: 'a record of history has no value' };
  const json = parseJson(value);
  if (json === undefined) return { ok: false, problem: 'a record of history is not JSON' };
  if (!isWithinDepth(json, LIMITS.jsonDepth)) {
    return { ok: false, problem: `a record of history has more than ${LIMITS.jsonDepth} levels` };
  }
  const outer = historyOuterSchema.safeParse(json);
  if (!outer.success) return { ok: false, problem: `not a record of history: ${z.prettifyError(outer.error)}` };
  const { type, dataversion, data } = outer.data;
  const event = schemaOf(type).safeParse({ type, version: dataversion, data });
  if (!event.success) {
    return {
      ok: false,
      problem: `event ${type} version ${dataversion} cannot be read: ${z.prettifyError(event.error)}`,
    };
  }
  const { id, time, subject, principal, lane, prev } = outer.data;
  return {
    ok: true,
    record: {
      id,
      time,
      subject: subject ?? null,
      principal: principal ?? null,
      lane,
      prev: prev ?? null,
      event: event.data,
    },
  };
};

const schemaOf = (type: string) => (isLaneEvent({ type }) ? laneEventSchema : runEventSchema);

/** Fields that hold what was read and measured as JSON when it came in: it is not looked through once more. */
const VALUES = ['input', 'result', 'output'] as const;

/** Why an event could not be read back from history; null where it can. What cannot must never be written. */
export const unreadable = ({ type, version, data }: HistoryEvent): string | null => {
  const short: Record<string, unknown> = { ...data };
  for (const name of VALUES) if (short[name] !== undefined) short[name] = null;
  // The record around it is a level of its own.
  if (!isWithinDepth(short, LIMITS.jsonDepth - 1)) return `${type} has more than ${LIMITS.jsonDepth} levels`;
  const read = schemaOf(type).safeParse({ type, version, data: short });
  return read.success ? null : `${type} could not be read back from history: ${z.prettifyError(read.error)}`;
};

const parseJson = (value: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
  } catch {
    return undefined;
  }
};
