import { LIMITS } from '@holdfast/events';
import { boundEvidence } from './doubt.verdict.js';

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('bounding evidence', () => {
  it('leaves what fits as it is', () => {
    const evidence = { summary: 'found', details: { rows: [1, 2] } };
    expect(boundEvidence(evidence)).toEqual(evidence);
  });

  it('drops details that are too large and says how large they were', () =>
    expect(boundEvidence({ summary: 'found', details: 'x'.repeat(10_000) })).toEqual({
      summary: 'found',
      details: { omitted: true, bytes: 10_002 },
    }));

  it('cuts a long summary and keeps details that fit then', () => {
    const bounded = boundEvidence({ summary: 'y'.repeat(9_000), details: { row: 1 } });
    expect(bounded.details).toEqual({ row: 1 });
    expect(bounded.summary).toMatch(/^y{1900,2000}…$/);
  });

  it('stays within the limit for any characters, and never cuts one in two', () => {
    for (const text of ['😀', '\u0001', '"', 'ü', '中']) {
      const bounded = boundEvidence({ summary: text.repeat(20_000), details: [text.repeat(20_000)] });
      expect(bytes(bounded)).toBeLessThanOrEqual(LIMITS.evidenceBytes);
      expect(bounded.summary.slice(0, -1).replaceAll(text, '')).toBe('');
    }
  });
});
