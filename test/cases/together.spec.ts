import type { HistoryEvent } from '@holdfast/events';
import type { Json, Plan } from '@holdfast/programs';
import * as fc from 'fast-check';
import { LaneHarness } from '../support/lane-harness.js';
import { request } from '../support/messages.js';
import { forEach, planOf, runOf, step } from '../support/plans.js';
import { SeveralLanes } from '../support/several-lanes.js';
import { undoableTools } from '../support/tools.js';
import { Acting } from './support/acting.js';

type EventOf<T extends HistoryEvent['type']> = Extract<HistoryEvent, { type: T }>;

const happened = <T extends HistoryEvent['type']>(lanes: SeveralLanes, runId: string, type: T): readonly EventOf<T>[] =>
  lanes
    .at(runId)
    .events()
    .flatMap(({ event, subject }) => (subject === runId && event.type === type ? [event as EventOf<T>] : []));
const endOf = (lanes: SeveralLanes, runId: string) => happened(lanes, runId, 'RunEnded')[0]?.data;
const nested = (plan: Plan): Json => plan as unknown as Json;

describe('case 9: a step that stops waiting for its child, and a second one that wants the same child', () => {
  it('is told that the child goes on; the second one waits for the same child, and there is one child run', () => {
    const research = nested({ ...planOf(step('x', 'verifiable')), output: { $from: 'steps.x' } });
    const plan: Plan = {
      ...planOf(runOf('first', research, { runId: 'research-1', waitMs: 30_000 }), {
        ...runOf('again', research, { runId: 'research-1' }),
        after: ['first'],
      }),
      output: [{ $from: 'steps.first' }, { $from: 'steps.again' }],
    };
    const lanes = new SeveralLanes(3).submit(plan, { runId: 'parent' }).calm();
    lanes.at('research-1').claims('research-1/x/0', 'S', lanes.clock.now + 100_000);
    lanes.tick(30_000).calm().tick(60_000).calm();
    lanes.work('research-1', 'found').calm();
    expect(endOf(lanes, 'parent')).toMatchObject({
      reason: 'succeeded',
      output: [{ runId: 'research-1', status: 'running' }, 'found'],
    });
    expect(lanes.runs.map(({ runId }) => runId).toSorted()).toEqual(['parent', 'research-1']);
    expect(happened(lanes, 'research-1', 'RunAccepted').length).toBe(1);
  });
});

describe('case 17: two events about one thing, handled at once', () => {
  const handle = planOf(
    step('find', 'pure'),
    step('comment', 'verifiable', { args: { found: { $from: 'steps.find' } } }),
  );

  it('are handled one after the other, whichever is first: the second one sees what the first has done', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 30 }), (turns) => {
        let comments = 0;
        const said: unknown[] = [];
        const lanes = new SeveralLanes(4);
        const acting = new Acting(lanes, ({ stepId, args }) => {
          if (stepId === 'find') return comments;
          const { found } = args as { readonly found: number };
          if (found === 0) comments += 1;
          said.push(found === 0 ? 'commented' : 'already done');
          return said.at(-1);
        });
        const concurrency = { key: 'pr-277', policy: 'queue' } as const;
        for (const runId of ['created', 'closed']) lanes.submit(handle, { runId, concurrency });
        for (const turn of turns) {
          if (turn < 4) lanes.tell(turn);
          else if (turn < 7) lanes.deliver((turn - 4) % Math.max(1, lanes.transit.length), turn === 6);
          else acting.next(turn === 7 ? 'created' : 'closed');
        }
        acting.finish();
        expect([comments, said]).toEqual([1, ['commented', 'already done']]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('case 18: an event that the act of a run itself has caused', () => {
  const fix = planOf(
    step('take', 'verifiable'),
    step('work', 'verifiable', { after: ['take'] }),
    step('open', 'verifiable', { after: ['work'] }),
  );
  const assigned = (lanes: SeveralLanes, runId: string, policy: 'reject' | 'coalesce') =>
    lanes.submit(fix, { runId, concurrency: { key: 'issue-2512', policy } }).calm();

  it.each([
    ['reject', 'superseded', 'run fix-1 has the key issue-2512'],
    ['coalesce', 'superseded', 'joined run fix-1, which has the key issue-2512'],
  ] as const)('begins no second run, and the history says so: %s', (policy, reason, detail) => {
    const opened: string[] = [];
    const lanes = new SeveralLanes(3);
    const acting = new Acting(lanes, ({ stepId, runId }) => {
      if (stepId === 'open') opened.push(runId);
      return 'done';
    });
    assigned(lanes, 'fix-1', policy);
    acting.next();
    lanes.tick(80_000);
    acting.next();
    assigned(lanes, 'fix-2', policy);
    expect(endOf(lanes, 'fix-2')).toMatchObject({ reason, detail });
    acting.finish();
    expect(opened).toEqual(['fix-1']);
    assigned(lanes, 'fix-3', policy);
    acting.finish();
    expect(opened).toEqual(['fix-1', 'fix-3']);
  });
});

describe('case 41: a run that is replaced while it waits for its next try', () => {
  const plan = planOf(step('publish', 'verifiable', { retry: { backoffMs: 30_000 } }));
  /** R1 has failed once and waits for 30 s. */
  const waiting = () => {
    const concurrency = { key: 'site', policy: 'cancel-older' } as const;
    const lanes = new SeveralLanes(3).submit(plan, { runId: 'R1', concurrency }).calm();
    lanes.say('R1', 'AttemptFailed').tick(10_000);
    return { lanes, concurrency };
  };
  const attempts = (lanes: SeveralLanes) => happened(lanes, 'R1', 'StepScheduled').map(({ data }) => data.attempt);

  it('is over at once and does not wake', () => {
    const { lanes, concurrency } = waiting();
    lanes.submit(plan, { runId: 'R2', concurrency }).calm();
    expect(endOf(lanes, 'R1')).toMatchObject({ reason: 'superseded', detail: expect.stringContaining('R2') });
    lanes.work('R2').calm();
    expect(endOf(lanes, 'R2')?.reason).toBe('succeeded');
    lanes.tick(10_000).crash(lanes.laneOf('R1')).tick(20_000).calm();
    expect(attempts(lanes)).toEqual([0]);
    expect(endOf(lanes, 'R1')?.report.applied).toBe(0);
  });

  it('by a cancel likewise', () => {
    const { lanes } = waiting();
    lanes.cancel('R1').calm().tick(30_000).calm();
    expect(endOf(lanes, 'R1')?.reason).toBe('cancelled');
    expect(attempts(lanes)).toEqual([0]);
  });
});

describe('case 44: children that are born after the stop', () => {
  const grand = nested(planOf(...['x', 'y', 'z'].map((id) => runOf(id, nested(planOf(step('call', 'verifiable')))))));
  const tree = planOf(
    forEach(
      'each',
      Array.from({ length: 20 }, (_, index) => index),
      runOf('child', grand),
    ),
  );
  const active = (lanes: SeveralLanes) =>
    lanes.runs.flatMap((run) => (run.status !== 'ended' && run.end === null ? [run.runId] : []));

  it('are stopped as they begin, and none is active after the bound or begins later', () => {
    const lanes = new SeveralLanes(4).submit(tree, { runId: 'p' });
    while (lanes.tell(lanes.laneOf('p')));
    for (let born = 0; born < 12; born += 1) lanes.deliver(0);
    expect(lanes.runs.length).toBe(13);
    const late = lanes.transit.splice(0, 4);
    lanes.cancel('p', 5_000).calm().tick(5_000).calm();
    expect(active(lanes)).toEqual([]);
    lanes.transit.push(...late);
    lanes
      .calm()
      .tick(11 * 60_000)
      .calm();
    expect(active(lanes)).toEqual([]);
    const called = lanes.runs.filter(({ end }) => end?.reason !== 'cancelled');
    expect(called).toEqual([]);
  });

  it('are not begun again where one of them was stopped by itself, and their parent is told', () => {
    const lanes = new SeveralLanes(4).submit(planOf(runOf('child', grand)), { runId: 'p' }).calm();
    lanes.cancel('p~child', 5_000).calm().tick(5_000).calm();
    expect(happened(lanes, 'p', 'ChildEnded')[0]?.data).toMatchObject({ childRunId: 'p~child', reason: 'cancelled' });
    expect(happened(lanes, 'p', 'ChildStarted').length).toBe(1);
    expect(endOf(lanes, 'p')?.reason).toBe('failed');
    expect(active(lanes)).toEqual([]);
  });
});

describe('a run that waits for the key of a cancelled one whose worker is gone (case 46)', () => {
  const plan = planOf(step('a', 'verifiable'));
  const concurrency = { key: 'slot', policy: 'queue' } as const;

  it.each([
    ['killed', (lane: LaneHarness) => lane.dies('A')],
    ['frozen', () => undefined],
  ])('is over within its bound, and the next run begins: the worker is %s', (_, befalls) => {
    const lanes = new SeveralLanes(3);
    for (const runId of ['R1', 'R2']) lanes.submit(plan, { runId, concurrency }).calm();
    lanes.at('R1').claims('R1/a/0', 'A', lanes.clock.now + 120_000);
    lanes.cancel('R1', 5_000);
    befalls(lanes.at('R1'));
    lanes.calm();
    expect(lanes.live('R2')?.concurrency?.status).toBe('waiting');
    lanes.tick(5_000).calm();
    expect(endOf(lanes, 'R1')?.reason).toBe('cancelled');
    expect(lanes.live('R2')?.steps.map(({ stepId }) => stepId)).toEqual(['a']);
    const orders = lanes.places.flatMap(({ harness }) => harness.commands);
    expect(orders).toEqual(['R1/a/0', 'R2/a/0']);
    const aborts = lanes.places.flatMap(({ harness }) => harness.reactions).filter(({ kind }) => kind === 'abort');
    expect(aborts.length).toBeGreaterThan(0);
  });
});

describe('case 47: undo steps after a cancel', () => {
  const trip = planOf(
    step('car', 'reserve'),
    step('room', 'reserve', { after: ['car'] }),
    step('seat', 'reserve', { after: ['room'] }),
  );

  const cancelled = () => {
    const effects: string[] = [];
    const seen = new Set<string>();
    const lanes = new SeveralLanes(3, {}, undoableTools());
    const acting = new Acting(lanes, ({ stepId, tool, args, key }) => {
      if (tool === 'reserve@1') return effects.push(`reserve ${stepId}`) && stepId;
      // The other side drops repeats of a key.
      if (!seen.has(key)) effects.push(`release ${(args as { readonly result: string }).result}`);
      return void seen.add(key);
    });
    lanes.submit(trip, { runId: 'trip', compensate: 'on_cancel' }).calm();
    acting.next();
    acting.next();
    lanes.cancel('trip', 5_000);
    lanes.at('trip').closed('trip/seat/0');
    lanes.calm();
    return { lanes, acting, effects };
  };

  it('undo room and car, once each, although a worker dies, owners change and somebody cancels once more', () => {
    const { lanes, acting, effects } = cancelled();
    const [order] = acting.open;
    if (order === undefined) throw new Error('nothing is undone');
    // It acts and dies before it can say so.
    acting.act(order);
    acting.made.add(order.attemptId);
    lanes.at(order.runId).claims(order.attemptId, 'A').dies('A');
    for (const lane of [0, 1, 2]) lanes.crash(lane);
    lanes
      .ask(request('CancelRun', { requestId: 'again', runId: 'trip' }))
      .calm()
      .tick(2_000);
    acting.finish();
    expect(effects).toEqual(['reserve car', 'reserve room', 'release room', 'release car']);
    expect(endOf(lanes, 'trip')?.reason).toBe('cancelled');
    expect(happened(lanes, 'trip', 'CompensationEnded')[0]?.data).toMatchObject({ outcome: 'succeeded', undone: 2 });
  });

  it('that fail for good are put to a person, with what is still held', () => {
    const { lanes } = cancelled();
    lanes.say(lanes.undoOf('trip'), 'AttemptFailed', { retry: 'never' }).calm();
    const [question] = Object.values(lanes.live(lanes.undoOf('trip'))?.escalations ?? {});
    const answer = {
      requestId: 'a',
      runId: lanes.undoOf('trip'),
      escalation: question?.seq ?? -1,
      choice: 'fail',
    } as const;
    lanes.ask(request('AnswerEscalation', answer)).calm();
    expect(happened(lanes, 'trip', 'CompensationEnded')[0]?.data).toMatchObject({
      undone: 0,
      held: [
        { stepId: 'car', tool: 'reserve@1' },
        { stepId: 'room', tool: 'reserve@1' },
      ],
    });
  });
});
