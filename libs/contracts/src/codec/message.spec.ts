import { LIMITS } from '@holdfast/events';
import * as fc from 'fast-check';
import {
  abortKind,
  claimKind,
  commandKind,
  decode,
  encode,
  heartbeatKind,
  journalKind,
  replyKind,
  requestKind,
  snapshotKind,
  verdictKind,
  type Message,
  type MessageKind,
  type messageKind,
} from '../index.js';

const kinds: readonly MessageKind<Parameters<typeof messageKind>[1]>[] = [
  abortKind,
  claimKind,
  commandKind,
  heartbeatKind,
  journalKind,
  replyKind,
  requestKind,
  snapshotKind,
  verdictKind,
];
const bytes = (text: string) => new TextEncoder().encode(text);
const cancel = { requestId: 'r', runId: 'run-1' };
const event = (more: object = {}) => ({
  specversion: '1.0',
  id: 'e-1',
  source: 'test',
  type: 'CancelRun',
  dataversion: 1,
  data: cancel,
  ...more,
});
const read = (value: unknown) => decode(requestKind, bytes(JSON.stringify(value)));
const code = (value: unknown) => {
  const decoded = read(value);
  return decoded.ok ? 'ok' : decoded.code;
};
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const submit = (input: string) =>
  bytes(
    `{"specversion":"1.0","id":"1","source":"s","type":"SubmitRun","data":{"requestId":"r","runId":"run-1","program":1,"input":${input}}}`,
  );

describe('reading a message', () => {
  it('in structured mode', () => {
    expect(read(event())).toEqual({
      ok: true,
      message: {
        type: 'CancelRun',
        version: 1,
        id: 'e-1',
        source: 'test',
        subject: null,
        time: '',
        principal: null,
        data: cancel,
      },
    });
  });

  it('in binary mode, as the headers say', () => {
    const headers = {
      ce_specversion: '1.0',
      ce_id: 'e-1',
      ce_source: 'test',
      ce_type: 'CancelRun',
      ce_subject: 'run-1',
      ce_time: 'then',
    };
    const decoded = decode(requestKind, bytes(JSON.stringify(cancel)), headers);
    expect(decoded).toMatchObject({ ok: true, message: { id: 'e-1', subject: 'run-1', time: 'then', data: cancel } });
    expect(decode(requestKind, bytes(JSON.stringify(cancel)), { ...headers, ce_dataversion: '2' })).toMatchObject({
      code: 'unknown_version',
    });
    expect(decode(requestKind, bytes(JSON.stringify(cancel)), { ...headers, ce_dataversion: 'x' })).toMatchObject({
      code: 'not_cloudevent',
    });
  });

  it('without a version, the first is meant', () => {
    expect(code(event({ dataversion: undefined }))).toBe('ok');
  });

  it('fields that are not known are skipped', () => {
    expect(code(event({ extension: 1, data: { ...cancel, later: true } }))).toBe('ok');
  });

  it.each([
    ['not_cloudevent', { ...event(), specversion: '0.3' }],
    ['not_cloudevent', [event()]],
    ['not_cloudevent', null],
    ['unknown_type', event({ type: 'Surprise' })],
    ['unknown_type', event({ type: '__proto__' })],
    ['unknown_type', event({ type: 'constructor' })],
    ['unknown_version', event({ dataversion: 2 })],
    ['invalid_data', event({ data: { requestId: 'r', runId: 'a/b' } })],
    ['not_cloudevent', event({ data: undefined })],
  ])('answers %s', (expected, value) => {
    expect(code(value)).toBe(expected);
  });

  it('answers for bytes that are no message', () => {
    expect(decode(requestKind, null)).toMatchObject({ ok: false, code: 'no_value' });
    expect(decode(requestKind, bytes(''))).toMatchObject({ ok: false, code: 'not_json' });
    expect(decode(requestKind, new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ ok: false, code: 'not_utf8' });
  });

  it('takes a byte order mark for what it is', () => {
    expect(decode(requestKind, bytes(`\ufeff${JSON.stringify(event())}`)).ok).toBe(true);
  });
});

describe('what is nested deeply', () => {
  it('is read up to the stated limit', () => {
    expect(decode(requestKind, submit(nested(LIMITS.jsonDepth - 2))).ok).toBe(true);
    expect(decode(requestKind, submit(nested(LIMITS.jsonDepth - 1)))).toMatchObject({ ok: false, code: 'too_deep' });
  });

  it.each([10_000, 200_000])('is refused at %i levels, and nothing overflows', (levels) => {
    expect(decode(requestKind, submit(nested(levels)))).toMatchObject({ ok: false, code: 'too_deep' });
    expect(decode(requestKind, bytes('['.repeat(levels)))).toMatchObject({ ok: false, code: 'not_json' });
  });
});

describe('whatever stands in a record', () => {
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map(bytes),
    fc.string({ unit: 'binary' }).map(bytes),
    fc.jsonValue().map((data) => bytes(JSON.stringify(event({ data })))),
    fc
      .dictionary(fc.constantFrom('specversion', 'id', 'type', 'data', '__proto__', 'constructor'), fc.jsonValue())
      .map((value) => bytes(JSON.stringify(value))),
  );

  it('reading it never throws', () => {
    fc.assert(
      fc.property(
        garbage,
        fc.constantFrom(...kinds),
        fc.dictionary(fc.constantFrom('ce_specversion', 'ce_type', 'ce_id'), fc.string()),
        (value, kind, headers) => {
          const decoded = decode(kind, value, headers);
          if (!decoded.ok) expect(decoded.problem.length).toBeLessThanOrEqual(2_001);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a key named __proto__ changes no prototype', () => {
    const decoded = decode(requestKind, submit('{"__proto__":{"polluted":true},"constructor":1}'));
    expect(decoded.ok).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    if (decoded.ok && decoded.message.type === 'SubmitRun') {
      expect((decoded.message.data.input as Record<string, unknown>)['polluted']).toBeUndefined();
    }
  });

  /** Keys named __proto__ are left out when a record is read, see above. */
  const harmless = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes('"__proto__"'));

  it('what is written is read the same', () => {
    fc.assert(
      fc.property(harmless, (input) => {
        const data = {
          requestId: 'r',
          runId: 'run-1',
          program: null,
          input: JSON.parse(JSON.stringify(input)) as unknown,
        };
        const message = {
          type: 'SubmitRun',
          version: 1,
          id: '1',
          source: 's',
          subject: null,
          time: 't',
          principal: 'p',
          data,
        };
        expect(decode(requestKind, encode(message as Message))).toEqual({ ok: true, message });
      }),
    );
  });
});

describe('the place in a trace that a message names', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const read = (value: object, headers: Record<string, string> = {}) => {
    const decoded = decode(requestKind, bytes(JSON.stringify(value)), headers);
    return decoded.ok ? (decoded.message.traceparent ?? null) : decoded.problem;
  };
  const { data, ...outer } = event();
  const binary = Object.fromEntries(Object.entries(outer).map(([name, value]) => [`ce_${name}`, String(value)]));

  it('is its attribute, in both modes, or the header of the record', () => {
    expect(read(event({ traceparent }))).toBe(traceparent);
    expect(read(data, { ...binary, ce_traceparent: traceparent })).toBe(traceparent);
    expect(read(event(), { traceparent })).toBe(traceparent);
    expect(read(event({ traceparent }), { traceparent: 'other' })).toBe(traceparent);
    expect(read(event())).toBeNull();
  });

  it('makes no message unreadable', () => {
    expect(read(event({ traceparent: 7 }))).toBeNull();
    expect(read(event({ traceparent: 'x'.repeat(500) }))).toBeNull();
  });

  it('comes back as it was written', () => {
    const message = {
      ...event(),
      version: 1,
      subject: null,
      time: '',
      principal: null,
      traceparent,
    } as unknown as Message;
    const decoded = decode(requestKind, encode(message));
    expect(decoded).toMatchObject({ ok: true, message: { traceparent } });
  });
});
