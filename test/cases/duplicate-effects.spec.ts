import { newReconciler, type Output } from '../../apps/reconciler/src/doubt/doubt.state.js';
import { defaultSettings } from '../../apps/reconciler/src/doubt/doubt.rules.js';
import { step as stepReconciler } from '../../apps/reconciler/src/doubt/doubt.step.js';
import { doubtsOf } from '../../apps/reconciler/src/doubt/doubt.view.js';
import { WorkerBench } from '../support/worker-bench.js';
import * as fc from 'fast-check';
import { T0 } from '../support/clock.js';
import { LaneHarness, queueOf } from '../support/lane-harness.js';
import { word } from '../support/messages.js';
import { planOf, step } from '../support/plans.js';
import { catalogueOf, tool } from '../support/tools.js';
import { RacingLanes } from './support/racing-lanes.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('case 12: a run that comes back after the provider has forgotten the key', () => {
  /** A provider that drops repeats of a key for a day. */
  class Provider {
    readonly payments: { readonly key: string; readonly at: number }[] = [];

    pay(key: string, at: number): void {
      if (!this.payments.some((payment) => payment.key === key && payment.at + DAY > at))
        this.payments.push({ key, at });
    }
  }

  /** A run whose worker dies after the provider has booked the payment; nobody serves its tool for a while. */
  const diedAfterPaying = ({ verify = false } = {}) => {
    const provider = new Provider();
    const lane = new LaneHarness({ settings: { settleByMs: 60 * HOUR, escalationMs: 60 * HOUR } });
    lane.catalogue = catalogueOf(tool('keyed', { keyTtlMs: DAY, verify }));
    lane.seat().submit(planOf(step('a', 'keyed')), { deadlineMs: DAY - 1_000 });
    provider.pay(keyOf(lane, 0), lane.clock.now);
    lane.claims('run-1/a/0').dies();
    lane.queues = { default: queueOf({ partitions: [] }) };
    return { lane, provider };
  };

  const keyOf = (lane: LaneHarness, at: number): string => {
    const command = lane.reactions.filter(({ kind }) => kind === 'command')[at];
    if (command?.kind !== 'command') throw new Error('nothing was commanded');
    return command.order.key;
  };

  const back = (lane: LaneHarness, at: number): void => {
    lane.tick(T0 + at - lane.clock.now);
    lane.queues = { default: queueOf() };
    lane.tick(1);
  };

  it('is paid again under the same key while the key is remembered, which changes nothing', () => {
    const { lane, provider } = diedAfterPaying();
    expect(lane.commands).toEqual(['run-1/a/0', 'run-1/a/1']);
    back(lane, 23 * HOUR);
    const last = lane.commands.length - 1;
    provider.pay(keyOf(lane, last), lane.clock.now);
    lane.claims(lane.commands[last] ?? '', 'S2').say('AttemptSucceeded', { attempt: last, session: 'S2' });
    expect(lane.run().end?.reason).toBe('succeeded');
    expect(new Set(lane.commands.map((_, at) => keyOf(lane, at))).size).toBe(1);
    expect(provider.payments).toHaveLength(1);
  });

  it('is not paid again afterwards: a person is told of the doubt, once, while the run is open and when it is over', () => {
    const { lane, provider } = diedAfterPaying();
    lane.tick(11_000).closed('run-1/a/1');
    const before = lane.commands.length;
    back(lane, DAY - 5_000);
    expect(lane.run().status).not.toBe('ended');
    expect(lane.told.filter((name) => name === 'EscalationOpened a')).toHaveLength(1);
    back(lane, 26 * HOUR);
    expect(lane.commands).toHaveLength(before);
    expect(lane.told.filter((name) => name === 'EscalationOpened a')).toHaveLength(1);
    const end = lane.events().find(({ event }) => event.type === 'RunEnded')?.event;
    expect(end?.data).toMatchObject({
      reason: 'deadline_exceeded',
      report: { inDoubt: [{ stepId: 'a', attempt: 0 }] },
    });
    expect(provider.payments).toHaveLength(1);
  });

  it('is asked about where the provider can be asked, and found', () => {
    const { lane, provider } = diedAfterPaying({ verify: true });
    lane.tick(11_000).closed('run-1/a/1');
    const [soon] = doubtsOf(0, lane.run());
    back(lane, DAY - 5_000);
    const [late] = doubtsOf(0, lane.run());
    expect(soon?.askFrom).toBeGreaterThan(T0 + 23 * HOUR);
    expect(late?.askFrom).toBeLessThanOrEqual(lane.clock.now);
    lane.judge(lane.doubtSeq(), 'applied', { askedAt: lane.clock.now, result: 'found' });
    expect(lane.run().end?.reason).toBe('succeeded');
    expect(provider.payments).toHaveLength(1);
  });

  it('is refused from the start where the run may take longer than the key is remembered', () => {
    const lane = new LaneHarness();
    lane.catalogue = catalogueOf(tool('keyed', { keyTtlMs: DAY }));
    lane.seat().submit(planOf(step('a', 'keyed')), { deadlineMs: DAY + 1 });
    expect(lane.replies).toEqual(['submit run-1: invalid_program']);
  });
});

describe('case 13: a refund that nobody can ask about for thirty hours', () => {
  it('stays in doubt, is put to a person once, and is settled by the answer when it comes', () => {
    const lane = new LaneHarness({
      settings: { runMs: 5 * DAY, escalationMs: 4 * DAY, settleByMs: 2 * HOUR, probesMax: 9 },
    });
    lane
      .seat()
      .submit(planOf(step('a', 'verifiable')), { deadlineMs: 5 * DAY })
      .claims('run-1/a/0')
      .dies();
    let reconciler = { ...newReconciler(defaultSettings('R')), isClockProven: true };

    /** One pass of housekeeping: the reconciler looks at history, asks, and tells what it was told. */
    const pass = (answers: boolean): void => {
      const now = lane.clock.now;
      const give = (input: Parameters<typeof stepReconciler>[1]): readonly Output[] => {
        const stepped = stepReconciler(reconciler, input);
        reconciler = stepped.state;
        return stepped.outputs;
      };
      const doubts = doubtsOf(0, lane.run());
      const asked = [
        ...give({ type: 'RunSeen', lane: 0, runId: 'run-1', doubts, now }),
        ...give({ type: 'Ticked', taken: {}, now }),
      ];
      for (const output of asked) {
        if (output.type !== 'Ask') continue;
        const { ask, view } = output;
        const evidence = { summary: answers ? 'refund found' : 'the service cannot be reached' };
        const answer = answers
          ? { verdict: 'applied' as const, result: 'rf-5', evidence }
          : { verdict: 'unknown' as const, evidence };
        for (const told of give({ type: 'Answered', lane: 0, doubtSeq: view.doubtSeq, ask, answer, now })) {
          if (told.type !== 'AppendVerdict') continue;
          const { verdict, probe, askedAt } = told.judgement;
          lane.judge(view.doubtSeq, verdict, { probe, askedAt, evidence, ...(answers ? { result: 'rf-5' } : {}) });
          give({
            type: 'VerdictAppended',
            lane: 0,
            doubtSeq: view.doubtSeq,
            probe,
            outcome: 'appended',
            offset: 0,
            detail: '',
            now,
          });
        }
      }
    };

    for (let hour = 0; hour < 30; hour += 0.5) {
      lane.tick(HOUR / 2);
      pass(false);
      if (hour === 24) expect(lane.run().status).not.toBe('ended');
    }
    expect(lane.told).not.toContain('StepFailed a');
    expect(lane.told.filter((name) => name === 'EscalationOpened a')).toHaveLength(1);
    lane.tick(HOUR);
    pass(true);
    const audit = lane.told.filter((name) => name.endsWith(' a') && !name.startsWith('ProbeRecorded'));
    expect(audit).toEqual([
      'StepScheduled a',
      'AttemptHeld a',
      'DoubtOpened a',
      'EscalationOpened a',
      'DoubtSettled a',
      'StepSucceeded a',
    ]);
    expect(lane.run().end?.reason).toBe('succeeded');
    expect(lane.commands).toEqual(['run-1/a/0']);
  });
});

describe('case 20: two who recover the same runs from the same, stale list', () => {
  const RUNS = Array.from({ length: 10 }, (_, index) => `run-${index}`);

  it('write one history: each next step is scheduled once, whoever comes first and whoever is late', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 5, maxLength: 40 }), (moves) => {
        // Their coordinator died with the outcomes of all first steps in the journal and nothing decided about them.
        const former = new LaneHarness();
        former.proves = false;
        former.seat();
        for (const runId of RUNS) {
          former.submit(planOf(step('a', 'verifiable'), step('b', 'verifiable', { after: ['a'] })), { runId });
          former.claims(`${runId}/a/0`);
        }
        const words = RUNS.map((runId) => ({ kind: 'journal' as const, word: word('AttemptSucceeded', { runId }) }));
        const race = new RacingLanes(former, words, ['B', 'C']);
        for (const move of moves) race.move(move);
        const winner = race.settle();

        const commanded = new Set(race.commanded);
        const scheduled = winner.told.filter((name) => name.startsWith('StepScheduled'));
        expect(scheduled.toSorted()).toEqual([
          ...RUNS.map(() => 'StepScheduled a'),
          ...RUNS.map(() => 'StepScheduled b'),
        ]);
        expect(winner.told.filter((name) => name === 'StepSucceeded a')).toHaveLength(RUNS.length);
        expect(RUNS.filter((runId) => !commanded.has(`${runId}/b/0`))).toEqual([]);
        expect(race.unfounded).toEqual([]);
        // Besides, the orders of the first steps are told again: copies of attempts that are done or taken.
        expect([...commanded].filter((id) => !id.endsWith('/b/0') && !former.commands.includes(id))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('make each call once between them: who comes second finds the claim taken and says nothing', async () => {
    for (const lateMs of Array.from({ length: 50 }, (_, trial) => trial * 4)) {
      const first = new WorkerBench(undefined, {}, { session: 'B' });
      first.issue(...RUNS.map((runId) => first.order(runId)));
      await first.timer.pass(200 - lateMs);
      const second = new WorkerBench(undefined, {}, { session: 'C', beside: first });
      for (let passed = 0; passed < 1_000; passed += 100) {
        first.beats();
        await second.pass(100);
      }
      expect([...first.calls, ...second.calls].toSorted()).toEqual(RUNS);
      expect(
        first
          .words()
          .map(({ type, data }) => `${type} ${data.stepId}`)
          .toSorted(),
      ).toEqual(RUNS.map((runId) => `AttemptSucceeded ${runId}`));
    }
  });
});
