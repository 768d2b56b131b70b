import { randomBytes } from 'node:crypto';

/** A record that nobody can make sense of, with the reason under which it is set aside. */
export type BadRecord = {
  readonly about: string;
  readonly value: Uint8Array | null;
  readonly code: string;
};

const text = (value: string): Uint8Array => Buffer.from(value);

/** A CloudEvents object of the given type, with fields over or beside the usual ones. */
export const cloudEvent = (type: string, data: unknown, more: Readonly<Record<string, unknown>> = {}): Uint8Array =>
  text(
    JSON.stringify({
      specversion: '1.0',
      id: 'bad',
      source: 'test',
      type,
      dataversion: 1,
      subject: 'x',
      data,
      ...more,
    }),
  );

/** What is bad on any topic; `type` is one that the topic knows. */
export const badRecords = (type: string): readonly BadRecord[] => [
  { about: 'no value', value: null, code: 'no_value' },
  { about: 'no bytes', value: new Uint8Array(), code: 'not_json' },
  { about: 'spaces', value: text('   '), code: 'not_json' },
  { about: 'half an object', value: text('{'), code: 'not_json' },
  { about: 'a list', value: text('[]'), code: 'not_cloudevent' },
  { about: 'a text', value: text('"text"'), code: 'not_cloudevent' },
  { about: 'a number', value: text('123'), code: 'not_cloudevent' },
  { about: 'null as JSON', value: text('null'), code: 'not_cloudevent' },
  { about: 'bytes that are no text', value: Uint8Array.from([0xc3, 0x28, 0xff, 0x00]), code: 'not_utf8' },
  { about: 'random bytes', value: Uint8Array.from([0xff, ...randomBytes(500)]), code: 'not_utf8' },
  { about: 'levels without end', value: text(`${'['.repeat(10_000)}${']'.repeat(10_000)}`), code: 'too_deep' },
  { about: 'a megabyte of brackets', value: text('['.repeat(1_000_000)), code: 'not_json' },
  { about: 'an object of nothing known', value: text('{"a":1}'), code: 'not_cloudevent' },
  { about: 'an unknown type', value: cloudEvent('Nonsense', {}), code: 'unknown_type' },
  { about: 'the name of something inherited', value: cloudEvent('constructor', {}), code: 'unknown_type' },
  { about: 'an unknown version', value: cloudEvent(type, {}, { dataversion: 999 }), code: 'unknown_version' },
  { about: 'other data', value: cloudEvent(type, { some: 'thing' }), code: 'invalid_data' },
  { about: 'no data', value: cloudEvent(type, undefined), code: 'not_cloudevent' },
];

const named = (runId: string): BadRecord => ({
  about: `a run id of ${runId.length} characters, ${JSON.stringify(runId.slice(0, 12))}`,
  value: cloudEvent('CancelRun', { requestId: 'r', runId }),
  code: 'invalid_data',
});

/** Requests that name no possible run. */
export const badRunIds: readonly BadRecord[] = ['', 'a/b', 'a\nb', 'a b', 'e\u0301', 'x'.repeat(300)].map(named);
