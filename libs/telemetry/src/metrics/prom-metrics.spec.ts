import { PromMetrics } from './prom-metrics.js';
import { relay, RelayedMetrics } from './relayed-metrics.js';

const linesOf = async (metrics: PromMetrics, name: string): Promise<readonly string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));

describe('metrics for Prometheus', () => {
  it('sum up what is counted, by its labels', async () => {
    const metrics = new PromMetrics('coordinator');
    metrics.add('holdfast_steps_total', { outcome: 'succeeded' });
    metrics.add('holdfast_steps_total', { outcome: 'succeeded' }, 2);
    metrics.add('holdfast_steps_total', { outcome: 'failed' });
    expect(await linesOf(metrics, 'holdfast_steps_total')).toEqual([
      'holdfast_steps_total{outcome="succeeded",service="coordinator"} 3',
      'holdfast_steps_total{outcome="failed",service="coordinator"} 1',
    ]);
  });

  it('stand at 0 before anything has happened', async () => {
    const metrics = new PromMetrics('executor');
    const lines = await linesOf(metrics, 'holdfast_dead_letters_total');
    expect(lines).toHaveLength(8);
    expect(lines).toContain('holdfast_dead_letters_total{code="not_json",service="executor"} 0');
  });

  it('forget a level that is not told any more', async () => {
    const metrics = new PromMetrics('coordinator');
    const lanes = [0, 1];
    metrics.look((levels) => {
      for (const lane of lanes) levels.set('holdfast_lane_epoch', { lane }, 7);
    });
    expect(await linesOf(metrics, 'holdfast_lane_epoch')).toHaveLength(2);
    lanes.pop();
    expect(await linesOf(metrics, 'holdfast_lane_epoch')).toEqual([
      'holdfast_lane_epoch{lane="0",service="coordinator"} 7',
    ]);
  });

  it('have only what the service itself tells', async () => {
    const metrics = new PromMetrics('gateway');
    metrics.add('holdfast_runs_accepted_total', {});
    expect(await linesOf(metrics, 'holdfast_runs_accepted_total')).toEqual([]);
  });

  it('count together what would be too many series', async () => {
    const metrics = new PromMetrics('executor');
    for (let tool = 0; tool < 2_100; tool += 1) metrics.add('holdfast_calls_begun_total', { tool: `t@${tool}` });
    const lines = await linesOf(metrics, 'holdfast_calls_begun_total');
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toBe('holdfast_calls_begun_total{tool="other",service="executor"} 100');
  });

  it('take over what another process has counted, once', async () => {
    const metrics = new PromMetrics('executor');
    const worker = new RelayedMetrics();
    worker.add('holdfast_claims_total', { outcome: 'won' }, 2);
    worker.observe('holdfast_call_seconds', { tool: 't@1' }, 0.3);
    worker.observe('holdfast_call_seconds', { tool: 't@1' }, 0.5);
    relay(metrics, JSON.parse(JSON.stringify(worker.drain())) as ReturnType<typeof worker.drain>);
    relay(metrics, worker.drain());
    expect(await linesOf(metrics, 'holdfast_claims_total{outcome="won"')).toEqual([
      'holdfast_claims_total{outcome="won",service="executor"} 2',
    ]);
    expect(await linesOf(metrics, 'holdfast_call_seconds_sum')).toEqual([
      'holdfast_call_seconds_sum{service="executor",tool="t@1"} 0.8',
    ]);
  });
});
