import { loopsSchema, type Loops, type Plan } from '@holdfast/programs';
import { asked, LaneHarness } from '../../../../test/support/lane-harness.js';
import { request } from '../../../../test/support/messages.js';
import { planOf, step } from '../../../../test/support/plans.js';

/** A plan that calls these tools one after the other, each with these arguments. */
const calls = (...made: readonly (readonly [tool: string, args: object])[]): Plan =>
  planOf(
    ...made.map(([tool, args], at) => ({
      ...step(`s${at}`, tool),
      args: { ...args },
      ...(at === 0 ? {} : { after: [`s${at - 1}`] }),
    })),
  );

type Result = (at: number) => unknown;

/** Plays calls until nothing more is asked for; answers how many were made. */
const play = (plan: Plan, loops: Loops | undefined, result: Result = () => 'same'): readonly [LaneHarness, number] => {
  const lane = new LaneHarness().seat().submit(plan, loops === undefined ? {} : { loops });
  let made = 0;
  while (lane.commands.length > made && made < 100) {
    const id = `s${made}`;
    lane.claims(`run-1/${id}/0`).say('AttemptSucceeded', { step: id }, { result: result(made) as string });
    made += 1;
  }
  return [lane, made];
};

const alternating = (...tools: readonly string[]) =>
  calls(...Array.from({ length: 40 }, (_, at) => [tools[at % tools.length] ?? '', { x: 1 }] as const));
const limit = { repeatsMax: 6 } as const;

const ending = (lane: LaneHarness) => {
  const end = lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event;
  return end?.type === 'RunEnded' ? `${end.data.reason}: ${end.data.detail}` : null;
};

describe('calls that bring nothing new', () => {
  it.each([
    ['one call', ['repeatable'], 7, 'repeatable@1'],
    ['two in turn', ['repeatable', 'verifiable'], 8, 'repeatable@1, verifiable@1'],
    ['a ring of three', ['repeatable', 'verifiable', 'keyed'], 9, 'repeatable@1, verifiable@1, keyed@1'],
  ])('stop the run: %s', (_, tools, most, pattern) => {
    const [lane, made] = play(alternating(...tools), limit);
    expect(made).toBe(most);
    expect(ending(lane)).toContain('looping: 6 calls brought nothing new: ');
    for (const name of pattern.split(', ')) expect(ending(lane)).toContain(name);
  });

  it('stop the run also with other calls in between', () => {
    const mixed = Array.from(
      { length: 40 },
      (_, at) => ['repeatable', at % 2 === 0 ? { x: 1 } : { page: at }] as const,
    );
    const [, made] = play(calls(...mixed), { ...limit, cycleMax: 1 });
    expect(made).toBe(13);
  });

  it('are warned of first, once', () => {
    const [lane] = play(alternating('repeatable'), limit);
    const levels = lane.events().flatMap(({ event }) => (event.type === 'LoopFound' ? [event.data.level] : []));
    expect(levels).toEqual(['warned', 'stopped']);
    const [warned, made] = play(alternating('repeatable'), { ...limit, onLoop: 'warn' });
    expect([made, warned.told.filter((told) => told === 'LoopFound').length]).toEqual([40, 1]);
  });

  it('are warned of once, also where a ring is longer than what is looked for, and again where it is another one', () => {
    const ring = (from: number) =>
      Array.from({ length: 30 }, (_, at) => ['repeatable', { x: from + (at % 6) }] as const);
    const found = (lane: LaneHarness) => lane.told.filter((told) => told === 'LoopFound').length;
    const [lane, made] = play(calls(...ring(0)), { ...limit, onLoop: 'warn' });
    expect([made, found(lane)]).toEqual([30, 1]);
    expect(found(play(calls(...ring(0), ...ring(10)), { ...limit, onLoop: 'warn' })[0])).toBe(2);
  });

  it('can be found, or the rule is refused', () => {
    const refused = (loops: Loops) =>
      loopsSchema.safeParse(loops).error?.issues.map(({ path }) => path.join('.')) ?? [];
    expect(refused({ repeatsMax: 60, cycleMax: 4 })).toEqual([]);
    expect(refused({ repeatsMax: 61 })).toEqual(['window']);
    expect(refused({ window: 9 })).toEqual(['window']);
    expect(refused({ repeatsMax: 4, cycleMax: 4, window: 8 })).toEqual([]);
  });

  it('are none where the results change, or the arguments do, or nobody asked', () => {
    expect(play(alternating('repeatable'), limit, (at) => at)[1]).toBe(40);
    const pages = Array.from({ length: 40 }, (_, page) => ['repeatable', { page }] as const);
    expect(play(calls(...pages), limit)[1]).toBe(40);
    expect(play(alternating('repeatable'), undefined)[1]).toBe(40);
  });

  it('are put to a person where the program says so; what goes on is watched anew', () => {
    const [lane, made] = play(alternating('repeatable'), { ...limit, onLoop: 'ask' });
    expect([made, ending(lane)]).toEqual([7, null]);
    const [open] = Object.values(lane.live().escalations);
    expect(open).toMatchObject({ kind: 'loop', choices: ['continue', 'end'] });
    const answer = (choice: 'continue' | 'end') =>
      lane.arrive(
        asked(request('AnswerEscalation', { requestId: choice, runId: 'run-1', escalation: open?.seq ?? -1, choice })),
      );
    answer('continue');
    expect(lane.commands).toHaveLength(8);
  });
});
