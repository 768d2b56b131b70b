import { decodeHistory, DEFAULTS, entriesIn } from '@holdfast/events';
import { T0 } from '../../../../test/support/clock.js';
import { LaneHarness, type HarnessOptions } from '../../../../test/support/lane-harness.js';
import { one, planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { catalogueOf, tool, undoableTools } from '../../../../test/support/tools.js';
import { READING_RULES, RULES, type Rules } from './rules.js';

type LaneRule = Exclude<keyof Rules, (typeof READING_RULES)[number]>;

/** A schedule in which the rule matters: what comes of it while the rule holds, and what without it. */
type Scenario = {
  readonly about: string;
  readonly play: (options: HarnessOptions) => unknown;
  readonly kept: unknown;
  readonly broken: unknown;
};

const leading = (policy: string, options: HarnessOptions) => new LaneHarness(options).seat().submit(one(policy));
const keyed = (rules: Partial<Rules>, ...runIds: readonly string[]): SeveralLanes => {
  const lanes = new SeveralLanes(3, rules);
  for (const runId of runIds) lanes.submit(one('pure'), { runId, concurrency: { key: 'pr-7', policy: 'queue' } });
  return lanes;
};
const scheduledAgain = (lane: LaneHarness) => lane.told.includes('StepScheduled a/1');

const scenarios: Record<LaneRule, Scenario> = {
  sameBytes: {
    about: 'an append has no answer, and a request has come in the meantime',
    play: (options) => {
      const lane = new LaneHarness(options);
      lane.holdsAppends = true;
      lane.seat().answer();
      lane.submit(one('pure'), { runId: 'run-1' });
      const late = lane.pending[0]?.values ?? [];
      lane.submit(one('pure'), { runId: 'run-2' }).answer('lost');
      const batches = [late, ...lane.pending.map(({ values }) => values)];
      const places = batches.map(([value]) => {
        const decoded = decodeHistory(value ?? null);
        return decoded.ok
          ? `${decoded.record.lane.epoch}/${decoded.record.lane.seq} of ${decoded.record.lane.size}`
          : '';
      });
      return new Set(places).size;
    },
    kept: 1,
    broken: 2,
  },
  tryAgain: {
    about: "the former owner's last batch lands before the record that takes the lane, and then it leaves",
    play: (options) => {
      const former = new LaneHarness().seat();
      const next = new LaneHarness({ ...options, owner: 'C2', history: former.history });
      next.holdsAppends = true;
      next.seat();
      former.submit(one('pure')).unseat();
      next.answer();
      while (next.pending.length > 0) next.answer();
      return next.machine.phase;
    },
    kept: 'leading',
    broken: 'acquiring',
  },
  reactAgain: {
    about: 'the owner dies after its batch landed and before it told anybody',
    play: (options) => {
      const former = new LaneHarness();
      former.reacts = false;
      former.seat().submit(one('verifiable'));
      const next = new LaneHarness({ ...options, owner: 'C2', history: former.history }).seat();
      return [next.replies, next.commands];
    },
    kept: [['submit run-1: accepted'], ['run-1/a/0']],
    broken: [[], []],
  },
  settleWindow: {
    about: 'a session is taken for dead, somebody looks at once, and its call lands afterwards',
    play: (options) => {
      const lane = leading('verifiable', options).claims('run-1/a/0').dies('S', 'session_expired');
      return scheduledAgain(lane.tick(1_000).judge(lane.doubtSeq(), 'absent', { askedAt: T0 + 1_000 }));
    },
    kept: false,
    broken: true,
  },
  verdictsOnlyInDoubt: {
    about: 'a slow verdict on a doubt that was settled comes while the next attempt is in doubt',
    play: (options) => {
      const lane = leading('verifiable', options).claims('run-1/a/0').dies();
      const first = lane.doubtSeq();
      lane.tick(2_000).judge(first, 'absent', { askedAt: T0 + 2_000 });
      lane.claims('run-1/a/1', 'S2').dies('S2');
      return lane.judge(first, 'applied').told.includes('StepSucceeded a/1');
    },
    kept: false,
    broken: true,
  },
  refusalAsksOnly: {
    about: 'one executor refuses the attempt that another one holds',
    play: (options) => {
      const lane = leading('verifiable', options).say('AttemptRefused', { session: 'bystander' });
      return scheduledAgain(lane.claims('run-1/a/0').tick(1_500));
    },
    kept: false,
    broken: true,
  },
  hold: {
    about: 'a step becomes ready while an effect of a lost session is in doubt',
    play: (options) => {
      const plan = planOf(step('a', 'verifiable'), step('p', 'pure'), step('b', 'verifiable', { after: ['p'] }));
      const lane = new LaneHarness(options).seat().submit(plan).claims('run-1/a/0').dies();
      return lane.say('AttemptSucceeded', { step: 'p' }).told.includes('StepScheduled b');
    },
    kept: false,
    broken: true,
  },
  keyWindow: {
    about: 'the call of the lost holder may outlive the key that the tool remembers',
    play: (options) => {
      const lane = new LaneHarness(options);
      lane.catalogue = catalogueOf(tool('keyed', { keyTtlMs: 20_000 }));
      lane
        .seat()
        .submit(one('keyed'), { deadlineMs: 19_000 })
        .claims('run-1/a/0', 'S', T0 + 19_800);
      return scheduledAgain(lane.dies('S', 'session_expired'));
    },
    kept: false,
    broken: true,
  },
  pauseCloses: {
    about: 'a run is paused whose attempt is out and nobody has claimed it',
    play: (options) => leading('verifiable', options).ask('PauseRun').closes,
    kept: ['run-1/a/0'],
    broken: [],
  },
  outcomeSpeaksForItself: {
    about: 'two attempts of a keyed step are in doubt, and one of them turns out to have been skipped',
    play: (options) => {
      const lane = leading('keyed', options).claims('run-1/a/0').dies('S', 'session_expired');
      lane.claims('run-1/a/1', 'S2').dies('S2', 'session_expired');
      return lane.say('AttemptSkipped').told.includes('DoubtSettled a');
    },
    kept: false,
    broken: true,
  },
  closeAtStartBy: {
    about: 'nobody ever claims an attempt',
    play: (options) => leading('verifiable', options).tick(10_000).closes,
    kept: ['run-1/a/0'],
    broken: [],
  },
  unknownWaitsForDeadline: {
    about: 'a living holder does not know, its call still runs, and somebody looks',
    play: (options) => {
      const lane = leading('verifiable', options).claims('run-1/a/0').say('AttemptUnknown');
      return scheduledAgain(lane.tick(700).judge(lane.doubtSeq(), 'absent', { askedAt: T0 + 700 }));
    },
    kept: false,
    broken: true,
  },
  closeBeforeNeverStarted: {
    about: 'a claim was made in time and nobody here has read it by `startBy`',
    play: (options) => scheduledAgain(leading('verifiable', options).tick(10_000).tick(10)),
    kept: false,
    broken: true,
  },
  newAttemptId: {
    about: 'a call fails and may be made again',
    play: (options) => {
      const lane = leading('verifiable', options).claims('run-1/a/0').say('AttemptFailed', {}, { retry: 'now' });
      return new Set(lane.tick(10).commands).size;
    },
    kept: 2,
    broken: 1,
  },
  answersBeforeExpiry: {
    about: "a person has answered in time, and the answer is read when the question's time is over",
    play: (options) => {
      const lane = leading('unprotected', options).claims('run-1/a/0').dies().tick(2_000);
      const question = lane.questions()['a'] ?? -1;
      lane.readsRequests = false;
      const given = lane.clock.now + 99_000;
      lane.tick(200_000).decides(question, 'applied', { at: given });
      lane.give({ type: 'RequestsRead', at: lane.clock.now });
      return lane.told.includes('EscalationExpired a');
    },
    kept: false,
    broken: true,
  },
  wordsClimb: {
    about: 'a word from before the call arrives after the word from after it',
    play: (options) =>
      scheduledAgain(
        leading('verifiable', options).claims('run-1/a/0').say('AttemptUnknown').say('AttemptSkipped').tick(500),
      ),
    kept: false,
    broken: true,
  },
  keyBeforeSteps: {
    about: 'the lane of the key has not answered yet',
    play: ({ rules = {} }) => keyed(rules, 'one').live('one')?.steps.length,
    kept: 0,
    broken: 1,
  },
  returnGrantedKey: {
    about: 'the word that a run is over comes before its claim',
    play: ({ rules = {} }) => {
      const lanes = keyed(rules, 'one').cancel('one');
      while (lanes.tell(lanes.laneOf('one')));
      lanes.deliver(1).calm();
      return entriesIn(lanes.at('key/pr-7').machine.lane.shared.keys).map(([key]) => key);
    },
    kept: [],
    broken: ['pr-7'],
  },
  stopChildren: {
    about: 'a run with a child is cancelled',
    play: ({ rules = {} }) => {
      const lanes = new SeveralLanes(3, rules).submit(planOf(runOf('a', one('pure'))), { runId: 'p' }).calm();
      lanes.cancel('p').calm();
      return lanes.live('p~a')?.runId;
    },
    kept: undefined,
    broken: 'p~a',
  },
  noLateBirth: {
    about: 'the submission of a child is read when the cancel is forgotten that came before it',
    play: ({ rules = {} }) => {
      const lanes = new SeveralLanes(3, rules).submit(planOf(runOf('a', one('pure'))), { runId: 'p' }).cancel('p');
      while (lanes.tell(lanes.laneOf('p')));
      lanes.deliver(1).tick(DEFAULTS.cancelMemoryMs).calm();
      return lanes.run('p~a')?.runId;
    },
    kept: undefined,
    broken: 'p~a',
  },
  neverAroundADoubt: {
    about: 'a run is cancelled, and one of its effects is in doubt at the end',
    play: ({ rules = {} }) => {
      const lanes = new SeveralLanes(3, rules, undoableTools());
      const plan = planOf(step('a', 'reserve'), step('b', 'reserve', { after: ['a'] }));
      lanes.submit(plan, { runId: 'p', compensate: 'on_cancel' }).calm().work('p');
      lanes.say('p', 'AttemptUnknown').cancel('p').tick(1_000).calm();
      return lanes.live('p')?.undo?.status;
    },
    kept: 'none',
    broken: 'running',
  },
  reserveBeforeDispatch: {
    about: 'two steps become ready at once, and what is left is enough for one of them',
    play: (options) =>
      new LaneHarness(options).seat().submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')), {
        budget: { effects: 1 },
      }).commands.length,
    kept: 1,
    broken: 2,
  },
  keptWhileInDoubt: {
    about: 'an effect is in doubt, and another one could take its place',
    play: (options) => {
      const plan = planOf({ ...step('a', 'verifiable'), hold: 'step' }, step('b', 'verifiable'));
      const lane = new LaneHarness(options).seat().submit(plan, { budget: { effects: 1 } });
      return lane.claims('run-1/a/0').say('AttemptUnknown').commands.length;
    },
    kept: 1,
    broken: 2,
  },
};

describe('each rule of the protocol matters', () => {
  it('has a schedule for every rule', () => {
    const all = [...Object.keys(scenarios), ...READING_RULES];
    expect(all.toSorted()).toEqual(Object.keys(RULES).toSorted());
  });

  it.each(Object.keys(scenarios) as LaneRule[])('%s', (rule) => {
    const { play, kept, broken } = scenarios[rule];
    expect(play({})).toEqual(kept);
    expect(play({ rules: { [rule]: false } })).toEqual(broken);
  });
});
