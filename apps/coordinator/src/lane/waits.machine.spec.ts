import { waitsFor } from '@holdfast/events';
import { LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { planOf, step } from '../../../../test/support/plans.js';
import { settings } from '../../../../test/support/settings.js';

const running = (policy = 'verifiable', more = {}) => new LaneHarness().seat().submit(planOf(step('a', policy, more)));
const unserved = (): LaneHarness => {
  const lane = new LaneHarness();
  lane.queues = { default: queueOf({ partitions: [] }) };
  return lane.seat().submit(planOf(step('a', 'verifiable')));
};
const recovering = () =>
  new LaneHarness()
    .seat()
    .submit(planOf(step('a', 'verifiable'), step('p', 'pure'), step('b', 'verifiable', { after: ['p'] })))
    .claims('run-1/a/0')
    .dies()
    .say('AttemptSucceeded', { step: 'p' });
const exhausted = () => {
  const lane = running('verifiable', { retry: { triesMax: 1 } })
    .claims('run-1/a/0')
    .dies()
    .tick(2_000);
  return lane.judge(lane.doubtSeq(), 'absent', { askedAt: lane.clock.now });
};
const question = { id: 'q', ask: { question: 'Go on?', choices: ['yes'] } };
const approving = () =>
  new LaneHarness().seat().submit({ ...planOf(step('a', 'verifiable')), approvals: [{ tool: 'verifiable' }] });
const end = 1_000_000;

/** A lane, and what its run waits for: `what step due`, the due time counted from the beginning. */
const cases: readonly (readonly [about: string, lane: () => LaneHarness, waits: readonly string[]])[] = [
  ['nobody serves its tool', unserved, [`place a ${end}`]],
  ['nobody has claimed it', () => running(), ['claim a 10000']],
  ['nobody has claimed it in time', () => running().tick(10_000), [`closing a ${end}`]],
  [
    'somebody holds it',
    () => running().claims('run-1/a/0', 'S').ask('PauseRun'),
    [`resume null ${end}`, 'outcome a 1200'],
  ],
  ['it is pure', () => running('pure'), ['outcome a 11200']],
  [
    'a try has failed',
    () =>
      running('verifiable', { retry: { backoffMs: 700 } })
        .claims('run-1/a/0')
        .say('AttemptFailed'),
    ['backoff a 700'],
  ],
  ['the tool is asked', () => running().claims('run-1/a/0').dies(), ['verdict a 60500']],
  ['nothing can land any more', () => running('unprotected').claims('run-1/a/0').dies(), ['settling a 500']],
  ['a person is asked', () => running('unprotected').claims('run-1/a/0').dies().tick(500), ['answer a 100600']],
  ['a person is asked to try again', exhausted, ['answer a 102100']],
  ['the plan asks a person', () => new LaneHarness().seat().submit(planOf(question)), ['answer q 100100']],
  ['a call needs an approval', approving, ['answer a 100100']],
  ['a doubt holds it', recovering, ['verdict a 60500', `doubt b ${end}`]],
  ['it is paused', () => running().ask('PauseRun').closed('run-1/a/0'), [`resume null ${end}`, `place a ${end}`]],
  ['it is cancelled', () => running().claims('run-1/a/0').cancel(), ['outcome a 1200']],
  ['it is cancelled and late', () => running().cancel('run-1', 300), ['claim a 300']],
  ['it has ended in doubt', () => running().claims('run-1/a/0').dies().cancel('run-1', 0), ['verdict a 60500']],
];

describe('what a run waits for', () => {
  it.each(cases)('when %s', (_, play, expected) => {
    const began = new LaneHarness().clock.now;
    const lane = play();
    const waits = waitsFor(lane.live(), { now: lane.clock.now, graceMs: settings.graceMs, skewMs: settings.skewMs });
    expect(waits.map(({ what, stepId, dueAt }) => `${what} ${stepId} ${(dueAt ?? Infinity) - began}`)).toEqual(
      expected,
    );
  });

  it('is said in its own words where it has said it', () =>
    expect(waitsFor(unserved().live(), { now: 0, graceMs: 0, skewMs: 0 })).toMatchObject([
      { detail: 'an executor that serves verifiable@1 on queue default' },
    ]));
});
