import { node, swift } from '../../../../test/support/asking.js';
import { T0 } from '../../../../test/support/clock.js';
import { asked, LaneHarness, queueOf } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { one, planOf, step } from '../../../../test/support/plans.js';

/** Answers all that is appended, and says how large each batch was. */
const answered = (lane: LaneHarness): readonly number[] => {
  const sizes: number[] = [];
  for (let [append] = lane.pending; append !== undefined; [append] = lane.pending) {
    sizes.push(append.values.reduce((sum, value) => sum + value.length, 0));
    lane.answer();
  }
  return sizes;
};

describe('an append without an answer', () => {
  it('is repeated with the same bytes until it is seen, and decided once', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat().answer().submit(one('pure'));
    const first = lane.pending[0]?.values;
    lane.answer('lost').submit(one('pure'), { runId: 'run-2' });
    expect(lane.pending[0]?.values).toEqual(first);
    lane.answer().answer();
    expect(lane.told.filter((name) => name === 'RunAccepted')).toHaveLength(2);
    expect(lane.commands).toEqual(['run-1/a/0', 'run-2/a/0']);
  });

  it('may land all the same: the copy that follows is a repeat', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat().answer().submit(one('pure')).answer('answer_lost').answer();
    expect(lane.machine.lane.counts.repeated).toBe(3);
    expect(lane.commands).toEqual(['run-1/a/0']);
    expect(lane.machine.flight).toBeNull();
  });

  it('may land late, after the copy and after more', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.seat().answer().submit(one('verifiable'));
    const late = lane.pending[0]?.values ?? [];
    lane.answer('lost').answer();
    lane.history.append(late);
    lane.cancel().answer();
    expect(lane.stopped).toBeNull();
    expect(lane.machine.phase).toBe('leading');
    expect(lane.live().status).toBe('cancelling');
  });

  it('remembers what it has to tell once, also when it was read and not answered', () => {
    const lane = new LaneHarness();
    lane.holdsAppends = true;
    lane.reacts = false;
    lane.seat().answer().submit(one('pure')).answer('answer_lost').answer();
    const seqs = lane.machine.unreacted.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)]);
  });
});

describe('a decision', () => {
  it('never is larger than a batch: many refusals are answered in parts', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 30_000 } }).seat();
    lane.holdsAppends = true;
    const steps = Array.from({ length: 20 }, (_, index) => step(`s${index}`, `nobody-${'x'.repeat(40)}@1`));
    const requests = Array.from({ length: 60 }, (_, index) =>
      asked(request('SubmitRun', { requestId: `r${index}`, runId: `run-${index}`, program: planOf(...steps) })),
    );
    lane.arrive(...requests);
    while (lane.pending.length > 0) {
      expect(lane.pending[0]?.values.reduce((sum, value) => sum + value.length, 0)).toBeLessThanOrEqual(30_000);
      lane.answer();
    }
    expect(lane.stopped).toBeNull();
    expect(lane.replies).toHaveLength(60);
  });

  it('is made in parts also when a run about which there is nothing to say stands first', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 6_000 } }).seat();
    lane.submit(one('pure'), { runId: 'quiet' });
    const runs = Array.from({ length: 8 }, (_, index) => `run-${index}`);
    for (const runId of runs) {
      lane.submit(planOf(step('a', 'verifiable'), step('b', 'verifiable')), { runId });
      lane.claims(`${runId}/a/0`).claims(`${runId}/b/0`);
    }
    lane.dies();
    expect(lane.stopped).toBeNull();
    expect(lane.told.filter((name) => name.startsWith('DoubtOpened'))).toHaveLength(16);
  });

  it('judges the very many attempts of a lost session over several batches', () => {
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 500 }) };
    const items = Array.from({ length: 300 }, (_, index) => index);
    const all = { id: 'each', forEach: items, window: 300, steps: [step('a', 'repeatable')] };
    lane.proves = false;
    lane.seat().submit(planOf(all));
    expect(lane.commands).toHaveLength(300);
    lane.give({
      type: 'ClaimsKnown',
      claims: items.map((index) => [
        `run-1/each[${index}].a/0`,
        { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: index },
      ]),
    });
    lane.dies();
    expect(lane.told.filter((name) => name.startsWith('DoubtOpened'))).toHaveLength(300);
    expect(lane.commands).toHaveLength(600);
  });
});

describe('questions to people', () => {
  it('are put over several batches when very many are due together', () => {
    const lane = new LaneHarness({ settings: { decisionBytes: 160_000 } });
    lane.queues = { default: queueOf({ slots: 500 }) };
    const items = Array.from({ length: 300 }, (_, index) => index);
    const all = { id: 'each', forEach: items, window: 300, steps: [step('a', 'unprotected')] };
    lane.proves = false;
    lane.seat().submit(planOf(all));
    lane.give({
      type: 'ClaimsKnown',
      claims: items.map((index) => [
        `run-1/each[${index}].a/0`,
        { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: index },
      ]),
    });
    lane.dies().tick(5_000).tick();
    expect(lane.stopped).toBeNull();
    expect(lane.told.filter((name) => name.startsWith('EscalationOpened'))).toHaveLength(300);
  });

  const many = { id: 'e', forEach: Array.from({ length: 100 }, () => 0), window: 100 };

  it('may all end in silence at once, however much that says', () => {
    const answer = 'x'.repeat(16_000);
    const lane = swift().submit(
      planOf({ ...many, steps: [node({ choices: undefined, schema: {}, onSilence: { answer }, withinMs: 1_000 })] }),
    );
    lane.tick(2_000).tick();
    expect(lane.stopped).toBeNull();
    expect(lane.told.filter((name) => name.startsWith('EscalationExpired'))).toHaveLength(100);
    expect(lane.run().end?.reason).toBe('succeeded');
  });

  it('are weighed with those whom they are put to', () => {
    const assignees = Array.from({ length: 16 }, () => ({ to: '€'.repeat(200), afterMs: 0 }));
    const lane = new LaneHarness();
    lane.proves = false;
    lane.holdsAppends = true;
    lane
      .seat()
      .answer()
      .submit(planOf({ ...many, steps: [node({ assignees, context: 'x'.repeat(1_000) })] }));
    const sizes = answered(lane);
    expect(Math.max(...sizes)).toBeLessThan(500_000);
    expect(lane.told.filter((name) => name.startsWith('EscalationOpened'))).toHaveLength(100);
  });

  it('about what very many workers were lost over are put in parts, whoever they are put to', () => {
    const assignees = Array.from({ length: 16 }, () => ({ to: '€'.repeat(200), afterMs: 0 }));
    const lane = new LaneHarness();
    lane.queues = { default: queueOf({ slots: 500 }) };
    lane.proves = false;
    lane.seat().submit({ ...planOf({ ...many, steps: [step('a', 'unprotected')] }), escalations: { assignees } });
    const held = { kind: 'claimed', session: 'S', deadline: T0 + 1_000, offset: 1 } as const;
    lane.give({ type: 'ClaimsKnown', claims: many.forEach.map((_, index) => [`run-1/e[${index}].a/0`, held]) });
    lane.dies().tick(5_000).tick();
    expect(lane.stopped).toBeNull();
    expect(lane.told.filter((name) => name.startsWith('EscalationOpened'))).toHaveLength(100);
  });
});

describe('a lost session', () => {
  it('whose word may wait far back in the inbox is judged once the inbox has been worked off', () => {
    const lane = new LaneHarness().seat().submit(one('verifiable')).claims('run-1/a/0');
    lane.holdsAppends = true;
    lane.arrive(...Array.from({ length: 600 }, () => ({ kind: 'pass' }) as const)).dies();
    while (lane.pending.length > 0) lane.answer();
    expect(lane.told).toContain('DoubtOpened a');
  });
});
