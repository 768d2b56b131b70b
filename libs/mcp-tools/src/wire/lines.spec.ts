import { createHash } from 'node:crypto';
import { Lines, type LongLine } from './lines.js';

const read = (bytesMax: number, ...chunks: readonly Buffer[]) => {
  const lines: string[] = [];
  const long: LongLine[] = [];
  const reading = new Lines(bytesMax, { line: (text) => lines.push(text), long: (line) => long.push(line) });
  for (const chunk of chunks) reading.push(chunk);
  return { lines, long, end: () => reading.end() };
};
const bytewise = (text: string): readonly Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

describe('lines', () => {
  it('end at line feeds alone, however the bytes come', () => {
    const text = 'a\u2028b\u2029c\u0085d\re\r\n👩‍👧 é\n\n';
    const expected = ['a\u2028b\u2029c\u0085d\re', '👩‍👧 é'];
    expect(read(100, Buffer.from(text)).lines).toEqual(expected);
    expect(read(100, ...bytewise(text)).lines).toEqual(expected);
  });

  it('without an end are lines once there are no more', () => {
    const reading = read(100, Buffer.from('a\nb'));
    expect(reading.lines).toEqual(['a']);
    reading.end();
    reading.end();
    expect(reading.lines).toEqual(['a', 'b']);
  });

  it.each([1, 7, 5_000, 100_000])(
    'that are too long are told by size, hash and ends, in chunks of %i bytes',
    (size) => {
      const whole = `head ${'x'.repeat(20_000)} tail`;
      const bytes = Buffer.from(`${whole}\nnext\n`);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const { lines, long } = read(1_000, ...chunks);
      expect(lines).toEqual(['next']);
      expect(long).toHaveLength(1);
      const sha256 = createHash('sha256').update(whole).digest('hex');
      expect(long[0]).toMatchObject({ bytes: whole.length, sha256 });
      expect(long[0]?.tail.endsWith(' tail')).toBe(true);
      expect(long[0]?.head.startsWith('head ')).toBe(true);
      expect(long[0]?.head.length).toBeLessThanOrEqual(4_096);
    },
  );
});
