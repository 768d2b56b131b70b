import { decode, encode, type Message } from '@holdfast/contracts';
import { decodeHistory, encodeHistory, laneEventSchema, runEventSchema } from '@holdfast/events';
import { exampleFiles, exampleOf, HISTORY, kinds, writeExamples, type Topic } from './examples.js';

if (process.env['HOLDFAST_WRITE'] === 'examples') writeExamples();

const bytes = (text: string) => new TextEncoder().encode(text);
const parsed = (value: Uint8Array) => JSON.parse(new TextDecoder().decode(value)) as unknown;

const messages = Object.entries(kinds).flatMap(([topic, { types }]) =>
  Object.keys(types).map((type) => ({ topic, type })),
);
const events = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => shape.type.value);

describe('the examples in libs/contracts/examples', () => {
  it.each(messages)('$topic: $type is read and written as it stands', ({ topic, type }) => {
    const text = exampleOf(topic, type);
    const decoded = decode(kinds[topic as Topic], bytes(text));
    expect(decoded).toMatchObject({ ok: true, message: { type } });
    if (decoded.ok) expect(parsed(encode(decoded.message as Message))).toEqual(JSON.parse(text));
  });

  it.each(events)('run-events: %s is read and written as it stands', (type) => {
    const text = exampleOf(HISTORY, type);
    const decoded = decodeHistory(bytes(text));
    expect(decoded).toMatchObject({ ok: true, record: { event: { type } } });
    if (decoded.ok) expect(parsed(encodeHistory(decoded.record))).toEqual(JSON.parse(text));
  });

  it('are of types that exist', () => {
    const known = [...messages, ...events.map((type) => ({ topic: HISTORY, type }))];
    expect(exampleFiles()).toEqual(known.map(({ topic, type }) => `${topic}/${type}.json`).toSorted());
  });
});
