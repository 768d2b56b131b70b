import { LaneHarness, queueOf } from '../../../test/support/lane-harness.js';
import { planOf, step } from '../../../test/support/plans.js';
import { describeState } from './state-words.js';

const said = (lane: LaneHarness): string => describeState(lane.run(), lane.clock.now);

describe('the state of a run for people', () => {
  it('says what it waits for, each with a time', () => {
    const lane = new LaneHarness().seat().submit(planOf(step('a', 'unprotected'), step('b', 'verifiable')));
    const at = (ms: number) => new Date(lane.clock.now + ms).toISOString();
    expect(said(lane)).toContain(`Waits: a waits for somebody to begin it, until ${at(10_000)}.`);
    lane.ask('PauseRun');
    expect(said(lane)).toContain('State: running, paused.');
    expect(said(lane)).toContain(`Waits: the run waits for somebody to resume it, until ${at(1_000_000)}.`);
  });

  it('names the executor that is missing', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ partitions: [] }) };
    lane.seat().submit(planOf(step('a', 'pure')));
    expect(said(lane)).toContain('Waits: a waits for an executor that serves pure@1 on queue default, until');
  });

  it('names the first few of very many', () => {
    const steps = Array.from({ length: 12 }, (_, index) => step(`s${index}`, 'verifiable'));
    expect(said(new LaneHarness().seat().submit(planOf(...steps)))).toContain('… and 2 more');
  });

  it('of a run that is over is its end', () => {
    const lane = new LaneHarness()
      .seat()
      .submit(planOf(step('a', 'verifiable')))
      .ask('KillRun')
      .closed('run-1/a/0');
    expect(said(lane)).toBe('State: ended, cancelled. Nothing is open or in doubt.');
  });
});
