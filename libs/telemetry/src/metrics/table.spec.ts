import { readFileSync, writeFileSync } from 'node:fs';
import { unformatted } from '../../../../test/support/markdown.js';
import { metricsDoc } from './document.js';
import { metricNames, metricOf } from './table.js';

const page = new URL('../../../../docs/metrics.md', import.meta.url);
if (process.env['HOLDFAST_WRITE'] === 'metrics') writeFileSync(page, metricsDoc());

/** What there may be very many of. */
const UNBOUNDED = ['run', 'run_id', 'step', 'step_id', 'attempt', 'session', 'owner', 'key', 'principal', 'path', 'id'];

describe('the table of metrics', () => {
  it.each(metricNames)('names %s by its kind, in base units', (name) => {
    const { type } = metricOf(name);
    expect(name).toMatch(/^holdfast_[a-z][a-z_]*[a-z]$/);
    expect(name.endsWith('_total')).toBe(type === 'counter' || type === 'level');
    if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes|records|ratio)$/);
    expect(name).not.toMatch(/_(ms|millis|milliseconds|kb|percent)(_|$)/);
  });

  it.each(metricNames)('says in a sentence what %s means', (name) => {
    expect(metricOf(name).help).toMatch(/^[A-Z0-9].*\.$/);
  });

  it('has no label of which there may be very many values', () => {
    expect(metricNames.filter((name) => metricOf(name).labels.some((label) => UNBOUNDED.includes(label)))).toEqual([]);
  });

  it('is told in docs/metrics.md', () =>
    expect(unformatted(readFileSync(page, 'utf8'))).toBe(unformatted(metricsDoc())));
});
