import { isWithinDepth, LIMITS, shorten } from '@holdfast/events';
import { z } from 'zod';

/** What all messages but history share on the wire: a CloudEvents 1.0 JSON object. */
export type Message<T extends string = string, D = unknown> = {
  readonly type: T;
  readonly version: number;
  readonly id: string;
  readonly source: string;
  readonly subject: string | null;
  readonly time: string;
  readonly principal: string | null;
  /** Where its sender stands in a trace, as W3C Trace Context writes it. */
  readonly traceparent?: string;
  readonly data: D;
};

export type Decoded<M> =
  | { readonly ok: true; readonly message: M }
  | { readonly ok: false; readonly code: DecodeCode; readonly problem: string };
/** Why bytes are not a message; also the reason under which they go to the dead letters. */
export const decodeCodes = [
  'no_value',
  'not_utf8',
  'not_json',
  'too_deep',
  'not_cloudevent',
  'unknown_type',
  'unknown_version',
  'invalid_data',
] as const;
export type DecodeCode = (typeof decodeCodes)[number];

export type Headers = Readonly<Record<string, string>>;

/** What every message has around its data. */
export const outerSchema = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1).max(500),
  source: z.string().min(1).max(500),
  type: z.string().min(1).max(200),
  dataversion: z.int().positive().optional(),
  subject: z.string().max(1_000).optional(),
  time: z.string().optional(),
  principal: z.string().max(500).optional(),
  traceparent: z.string().max(200).optional().catch(undefined),
  data: z.unknown(),
});

type Outer = z.infer<typeof outerSchema>;

/** One kind of message: its types with the schema of their data. */
export type MessageKind<S extends Readonly<Record<string, z.ZodType>>> = { readonly name: string; readonly types: S };
export type MessageOf<S extends Readonly<Record<string, z.ZodType>>> = {
  [T in keyof S & string]: Message<T, z.infer<S[T]>>;
}[keyof S & string];

export const messageKind = <S extends Readonly<Record<string, z.ZodType>>>(name: string, types: S): MessageKind<S> => ({
  name,
  types,
});

/** The value bytes of a message. */
export const encode = (message: Message): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      specversion: '1.0',
      id: message.id,
      source: message.source,
      type: message.type,
      dataversion: message.version,
      ...(message.subject === null ? {} : { subject: message.subject }),
      time: message.time,
      ...(message.principal === null ? {} : { principal: message.principal }),
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
      data: message.data,
    }),
  );

/** Reads a message of one kind, in structured mode or, where `ce_` headers name it, in CloudEvents binary mode. Never throws. */
export const decode = <S extends Readonly<Record<string, z.ZodType>>>(
  kind: MessageKind<S>,
  value: Uint8Array | null,
  headers: Headers = {},
): Decoded<MessageOf<S>> => {
  if (value === null) return no('no_value', 'the record has no value');
  const parsed = parse(value);
  if (!parsed.ok) return parsed;
  const whole = headers['ce_specversion'] === undefined ? parsed.json : fromHeaders(headers, parsed.json);
  const outer = outerSchema.safeParse(whole);
  if (!outer.success) return no('not_cloudevent', `not a CloudEvents 1.0 object: ${z.prettifyError(outer.error)}`);
  return inner(kind, withTraceparent(outer.data, headers));
};

const inner = <S extends Readonly<Record<string, z.ZodType>>>(
  kind: MessageKind<S>,
  outer: Outer,
): Decoded<MessageOf<S>> => {
  const schema = Object.hasOwn(kind.types, outer.type) ? kind.types[outer.type] : undefined;
  const known = Object.keys(kind.types).join(', ');
  if (schema === undefined)
    return no('unknown_type', `${kind.name} of type ${outer.type} is not known; known are ${known}`);
  if ((outer.dataversion ?? 1) !== 1) {
    return no('unknown_version', `version ${outer.dataversion} of ${outer.type} is not known; known is 1`);
  }
  const data = schema.safeParse(outer.data);
  if (!data.success) return no('invalid_data', `${outer.type} cannot be read: ${z.prettifyError(data.error)}`);
  const { id, source, type, subject, time, principal, traceparent } = outer;
  const message = {
    type,
    version: 1,
    id,
    source,
    subject: subject ?? null,
    time: time ?? '',
    principal: principal ?? null,
    ...(traceparent === undefined ? {} : { traceparent }),
    data: data.data,
  };
  return { ok: true, message: message as MessageOf<S> };
};

/** Instrumented producers write it beside the record and not into it. */
const withTraceparent = (outer: Outer, headers: Headers): Outer => {
  const beside = headers['ce_traceparent'] ?? headers['traceparent'];
  return beside === undefined || beside.length > 200 ? outer : { traceparent: beside, ...outer };
};

const no = (code: DecodeCode, problem: string): { ok: false; code: DecodeCode; problem: string } => ({
  ok: false,
  code,
  problem: shorten(problem, 2_000),
});

const parse = (value: Uint8Array): { ok: true; json: unknown } | { ok: false; code: DecodeCode; problem: string } => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch {
    return no('not_utf8', 'the value is not UTF-8 text');
  }
  try {
    const json: unknown = JSON.parse(text);
    return isWithinDepth(json, LIMITS.jsonDepth)
      ? { ok: true, json }
      : no('too_deep', `the value has more than ${LIMITS.jsonDepth} levels of arrays and objects`);
  } catch (error) {
    return no('not_json', `the value is not JSON: ${(error as Error).message}`);
  }
};

const fromHeaders = (headers: Headers, data: unknown): Record<string, unknown> => {
  const version = headers['ce_dataversion'];
  return {
    specversion: headers['ce_specversion'],
    id: headers['ce_id'],
    source: headers['ce_source'],
    type: headers['ce_type'],
    ...(version === undefined ? {} : { dataversion: Number(version) }),
    ...pick(headers, 'subject'),
    ...pick(headers, 'time'),
    ...pick(headers, 'principal'),
    data,
  };
};

const pick = (headers: Headers, name: string): Record<string, string> => {
  const value = headers[`ce_${name}`];
  return value === undefined ? {} : { [name]: value };
};
