import { LaneHarness } from '../support/lane-harness.js';
import { planOf, step } from '../support/plans.js';

describe('case 29: hopeless runs among those that are recovered', () => {
  /** A worker dies with a call of each run under way; the hopeless ones have lost it as often as they may. */
  const recovered = (count: number, hopeless: readonly number[]) => {
    const lane = new LaneHarness();
    lane.proves = false;
    lane.seat();
    const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
    ids.forEach((runId, index) => {
      const bad = hopeless.includes(index);
      lane.submit(planOf(step('a', 'verifiable', bad ? { deathsMax: 1 } : {})), { runId }).claims(`${runId}/a/0`);
    });
    lane.dies().tick(1_000);
    const doubts = lane.events().filter(({ event }) => event.type === 'DoubtOpened');
    for (const { subject, lane: place } of doubts) {
      const about = { runId: subject ?? '', attemptId: `${subject}/a/0`, askedAt: lane.clock.now };
      lane.judge(place.seq, 'absent', about);
    }
    lane.tick(100);
    for (const id of lane.commands.filter((command) => command.endsWith('/a/1'))) {
      const runId = id.split('/')[0] ?? '';
      lane.claims(id, 'S2').say('AttemptSucceeded', { runId, attempt: 1, session: 'S2' });
    }
    return { lane, ids, bad: hopeless.map((index) => `run-${index}`) };
  };

  it.each([
    ['the middle one of 3', 3, [1]],
    ['5 of 100', 100, [0, 17, 50, 51, 99]],
  ] as const)('does not keep the others: %s', (_, count, hopeless) => {
    const { lane, ids, bad } = recovered(count, hopeless);
    expect(lane.stopped).toBeNull();
    expect(lane.machine.broken.size).toBe(0);
    const ended = ids.filter((runId) => lane.run(runId).end?.reason === 'succeeded');
    expect(ended).toEqual(ids.filter((runId) => !bad.includes(runId)));
    for (const runId of bad) {
      const [question] = Object.values(lane.live(runId).escalations);
      expect(question).toMatchObject({ kind: 'quarantine' });
      expect(question?.question).toContain('lost its worker 1 times');
      expect(lane.commands.filter((id) => id.startsWith(`${runId}/`))).toEqual([`${runId}/a/0`]);
    }
    lane.tick(101_000);
    for (const runId of bad) expect(lane.run(runId).end?.reason).toBe('escalation_expired');
  });
});
