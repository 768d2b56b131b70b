import { LaneHarness, queueOf } from '../../../test/support/lane-harness.js';
import { one, planOf, step } from '../../../test/support/plans.js';
import { SeveralLanes } from '../../../test/support/several-lanes.js';
import { explainRun } from './explain.js';
import { statusOf } from './status.js';

const lane = (policy = 'verifiable'): LaneHarness => new LaneHarness().seat().submit(one(policy));
const unserved = (): LaneHarness => {
  const harness = new LaneHarness();
  harness.queues = { default: queueOf({ partitions: [] }) };
  return harness.seat().submit(one('pure'));
};

describe('the status of a run', () => {
  it.each([
    ['running', lane()],
    ['waiting', unserved()],
    ['recovering', lane().claims('run-1/a/0').dies()],
    ['paused', lane().claims('run-1/a/0').ask('PauseRun')],
    ['cancelling', lane().claims('run-1/a/0').cancel()],
    ['closing', lane().claims('run-1/a/0').ask('KillRun')],
    ['ended', lane().claims('run-1/a/0').say('AttemptSucceeded')],
  ])('is %s', (status, harness) => expect(statusOf(harness.run(), harness.clock.now)).toBe(status));

  it('is waiting for a key that another run has, and for a person while nothing else is under way', () => {
    const concurrency = { key: 'k', policy: 'queue' } as const;
    const lanes = new SeveralLanes(2).submit(one('verifiable'), { runId: 'p', concurrency }).calm();
    lanes.submit(one('verifiable'), { runId: 'q', concurrency }).calm();
    expect(['p', 'q'].map((runId) => statusOf(lanes.at(runId).run(runId), lanes.clock.now))).toEqual([
      'running',
      'waiting',
    ]);
    const asks = { id: 'ask', ask: { question: 'Go on?', choices: ['yes', 'no'] } };
    const alone = new LaneHarness().seat().submit(planOf(asks));
    const beside = new LaneHarness().seat().submit(planOf(asks, step('a', 'verifiable')));
    expect([alone, beside].map((harness) => statusOf(harness.run(), harness.clock.now))).toEqual([
      'waiting',
      'running',
    ]);
  });
});

describe('explaining', () => {
  it('tells of the run that has an id now, where an older one had it before', () => {
    const records = lane().claims('run-1/a/0').say('AttemptSucceeded').events();
    const own = records.filter(({ subject }) => subject === 'run-1');
    expect(explainRun([...own, ...own], 0).headline).toBe('Run run-1 is over: succeeded.');
  });

  it('refuses a history without its beginning', () => {
    expect(() => explainRun([], 0)).toThrow('no history of a run begins there');
    expect(() => explainRun(lane().events().slice(3), 0)).toThrow('no history of a run begins there');
  });
});
