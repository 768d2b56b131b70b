import { absent, applied, unknown } from './verdict.js';

describe('a verdict', () => {
  it('carries evidence for people', () => {
    expect(applied({ id: 7 }, 'entry 7 is in the ledger')).toStrictEqual({
      verdict: 'applied',
      result: { id: 7 },
      evidence: { summary: 'entry 7 is in the ledger' },
    });
    expect(absent({ summary: 'no entry', details: { looked: ['ledger'] } }).evidence.details).toStrictEqual({
      looked: ['ledger'],
    });
  });

  it('leaves out details that do not fit and says so', () => {
    const { evidence } = unknown({ summary: 'long', details: 'x'.repeat(9_000) });
    expect(evidence.details).toMatchObject({ omitted: 'too large' });
    expect(Buffer.byteLength(JSON.stringify(absent('y'.repeat(20_000)).evidence))).toBeLessThan(8 * 1024);
  });

  it('leaves out details that are not JSON', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(unknown({ summary: 'odd', details: circular }).evidence.details).toStrictEqual({ omitted: 'not JSON' });
    expect(unknown({ summary: 'odd', details: 1n }).evidence.details).toStrictEqual({ omitted: 'not JSON' });
  });
});
