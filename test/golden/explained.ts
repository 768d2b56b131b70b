import { explainRun, explanationText } from '@holdfast/explain';
import { LaneHarness, queueOf } from '../support/lane-harness.js';
import { request } from '../support/messages.js';
import { forEach, planOf, runOf, step } from '../support/plans.js';
import { SeveralLanes } from '../support/several-lanes.js';
import { undoableTools } from '../support/tools.js';

const all = planOf(
  step('pay', 'verifiable'),
  step('read', 'pure'),
  step('mail', 'unprotected', { after: ['pay'] }),
  step('book', 'keyed'),
  step('look', 'repeatable'),
);
const one = (policy: string) => planOf(step('a', policy));
const trip = planOf(
  step('car', 'reserve'),
  step('room', 'reserve', { after: ['car'] }),
  step('seat', 'reserve', { after: ['room'] }),
);
const begins = planOf(runOf('research', one('verifiable')), step('pay', 'verifiable', { after: ['research'] }));

const lane = (plan: unknown = all): LaneHarness => new LaneHarness().seat().submit(plan);
const travelling = (): SeveralLanes => {
  const lanes = new SeveralLanes(3, {}, undoableTools()).submit(trip, { runId: 'p', compensate: 'on_cancel' }).calm();
  return lanes.work('p').calm().work('p').calm();
};
const undoing = (): SeveralLanes => {
  const lanes = travelling().ask(request('CancelRun', { requestId: 'cancel', runId: 'p', withinMs: 1_000 }));
  lanes.at('p').closed('p/seat/0');
  return lanes.calm();
};
const keyed = (): SeveralLanes => {
  const concurrency = { key: 'pr/7', policy: 'queue' } as const;
  const lanes = new SeveralLanes(3).submit(one('verifiable'), { runId: 'p', concurrency }).calm();
  return lanes.submit(one('verifiable'), { runId: 'q', concurrency }).calm();
};
const unserved = (): LaneHarness => {
  const harness = new LaneHarness();
  harness.queues = { default: queueOf({ partitions: [] }) };
  return harness.seat().submit(one('pure'));
};
const killed = (): LaneHarness =>
  lane().claims('run-1/pay/0').ask('KillRun', { reason: 'wrong folder' }).closed('run-1/book/0');

type Scene = { readonly lane: LaneHarness; readonly runId?: string };

/** Histories of runs in every state, by name, each made by the machine of a coordinator. */
export const scenes: Readonly<Record<string, () => Scene>> = {
  running: () => ({
    lane: lane()
      .claims('run-1/pay/0', 'S', lane().clock.now + 900)
      .tick(5),
  }),
  recovering: () => ({ lane: lane().claims('run-1/pay/0').claims('run-1/book/0').tick(5).dies() }),
  'recovering-many': () => {
    const items = Array.from({ length: 12 }, (_, index) => index);
    const many = lane(planOf(forEach('each', items, step('a', 'verifiable'))));
    items.forEach((index) => many.claims(`run-1/each[${index}].a/0`));
    return { lane: many.tick(5).dies() };
  },
  paused: () => ({
    lane: lane()
      .claims('run-1/pay/0')
      .ask('PauseRun', { reason: 'the office is closed' })
      .closed('run-1/book/0')
      .tick(60_000),
  }),
  cancelling: () => ({ lane: lane().claims('run-1/pay/0').cancel('run-1', 5_000).tick(1_000) }),
  closing: () => ({ lane: killed().dies().tick(2_000) }),
  amended: () => ({
    lane: (() => {
      const harness = killed().dies();
      return harness.tick(2_000).judge(harness.doubtSeq('pay'), 'applied', { stepId: 'pay', attemptId: 'run-1/pay/0' });
    })(),
  }),
  'waiting-executor': () => ({ lane: unserved().tick(30_000) }),
  'waiting-answer': () => ({ lane: lane(one('unprotected')).claims('run-1/a/0').dies().tick(3_000) }),
  'waiting-key': () => ({ lane: keyed().at('q'), runId: 'q' }),
  'waiting-child': () => ({ lane: new SeveralLanes(3).submit(begins, { runId: 'p' }).calm().at('p'), runId: 'p' }),
  backoff: () => ({ lane: lane(one('verifiable')).claims('run-1/a/0').say('AttemptFailed') }),
  succeeded: () => ({ lane: lane(one('verifiable')).claims('run-1/a/0').say('AttemptSucceeded').tick(90_000) }),
  failed: () => ({
    lane: lane(one('verifiable')).claims('run-1/a/0').say('AttemptFailed', {}, { retry: 'never' }),
  }),
  'deadline-exceeded': () => ({ lane: unserved().tick(1_000_000) }),
  'cancelled-undoable': () => ({ lane: travelling().at('p'), runId: 'p' }),
  undoing: () => ({ lane: undoing().at('p'), runId: 'p' }),
  undone: () => ({ lane: undoing().work('p~undo').calm().work('p~undo').calm().at('p'), runId: 'p' }),
};

/** What is told of a scene. */
export const explained = (scene: () => Scene): string => {
  const { lane: harness, runId = 'run-1' } = scene();
  const records = harness.events().filter(({ subject }) => subject === runId);
  return `${explanationText(explainRun(records, harness.clock.now, { graceMs: 200, skewMs: 100, cancelMs: 5_000 }))}\n`;
};
