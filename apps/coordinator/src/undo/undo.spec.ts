import { DEFAULTS, LIMITS, type HistoryEvent } from '@holdfast/events';
import { request, verdict } from '../../../../test/support/messages.js';
import { planOf, runOf, step } from '../../../../test/support/plans.js';
import { SeveralLanes } from '../../../../test/support/several-lanes.js';
import { undoableTools } from '../../../../test/support/tools.js';

const trip = planOf(
  step('car', 'reserve', { args: { what: 'car' } }),
  step('look', 'other', { after: ['car'] }),
  step('room', 'reserve', { args: { what: 'room' }, after: ['look'] }),
  step('seat', 'reserve', { args: { what: 'seat' }, after: ['room'] }),
);
type Data<T extends HistoryEvent['type']> = Extract<HistoryEvent, { type: T }>['data'];

const eventsOf = (lanes: SeveralLanes, runId: string): readonly HistoryEvent[] =>
  lanes
    .at(runId)
    .events()
    .flatMap(({ event, subject }) => (subject === runId ? [event] : []));
const last = <T extends HistoryEvent['type']>(lanes: SeveralLanes, runId: string, type: T): Data<T> | undefined =>
  eventsOf(lanes, runId).findLast((event) => event.type === type)?.data as Data<T> | undefined;
/** What each call of the run that undoes was given, in the order in which they were made. */
const undone = (lanes: SeveralLanes): readonly unknown[] => {
  const calls = new Map(
    lanes.places.flatMap(({ harness }) =>
      harness.reactions.flatMap((reaction) =>
        reaction.kind === 'command' && reaction.order.runId === lanes.undoOf('p')
          ? [[reaction.order.stepId, reaction.order.args] as const]
          : [],
      ),
    ),
  );
  return [...calls.values()];
};

/** The car and the room are reserved, the seat is about to be. */
const travelling = (submitted: object = { compensate: 'on_cancel' }, tools = undoableTools()): SeveralLanes => {
  const lanes = new SeveralLanes(3, {}, tools).submit(trip, { runId: 'p', ...submitted }).calm();
  return lanes.work('p', 'car 7').work('p').work('p', 'room 9').calm();
};
const cancelled = (lanes: SeveralLanes, more: object = {}): SeveralLanes => {
  lanes.ask(request('CancelRun', { requestId: 'cancel p', runId: 'p', withinMs: 1_000, ...more }));
  lanes.at('p').closed('p/seat/0');
  return lanes.calm();
};

describe('a cancelled run whose effects are to be undone', () => {
  it('has them undone by a run of its own, the last one first, and says so in its report', () => {
    const lanes = cancelled(travelling());
    const { runKey } = lanes.live('p') ?? {};
    expect(last(lanes, 'p', 'RunEnded')).toMatchObject({ reason: 'cancelled', report: { applied: 3 } });
    lanes.work(lanes.undoOf('p')).calm().work(lanes.undoOf('p')).calm();
    expect(undone(lanes)).toEqual([
      { args: { what: 'room' }, result: 'room 9', key: `${runKey}/room` },
      { args: { what: 'car' }, result: 'car 7', key: `${runKey}/car` },
    ]);
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', undone: 2, heldTotal: 0 });
    expect(last(lanes, 'p', 'ReportAmended')?.report.compensation).toEqual({
      outcome: 'succeeded',
      undone: 2,
      held: [],
      heldTotal: 0,
    });
    expect([lanes.run('p')?.status, lanes.run(lanes.undoOf('p'))?.status]).toEqual(['ended', 'ended']);
  });

  it('has them undone once, whoever dies in between', () => {
    const lanes = cancelled(travelling());
    for (const lane of [0, 1, 2]) lanes.crash(lane);
    lanes.calm().work(lanes.undoOf('p'));
    for (const lane of [0, 1, 2]) lanes.crash(lane);
    lanes.calm().work(lanes.undoOf('p')).calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', undone: 2 });
    const started = eventsOf(lanes, 'p').filter(({ type }) => type === 'CompensationStarted');
    expect(started.length).toBe(1);
  });

  it('does not mind a run of a step that is called undo, nor one that somebody else has called so', () => {
    const lanes = new SeveralLanes(3, {}, undoableTools());
    const plan = planOf(
      step('car', 'reserve'),
      { ...runOf('undo', planOf(step('q', 'other'))), after: ['car'] },
      {
        ...step('z', 'other'),
        after: ['undo'],
      },
    );
    lanes.submit(trip, { runId: 'p~~undo' }).submit(plan, { runId: 'p', compensate: 'on_cancel' }).calm();
    lanes.work('p', 'car 7').calm().work('p~undo').calm().cancel('p');
    lanes.at('p').closed('p/z/0');
    lanes.calm().work(lanes.undoOf('p')).calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', undone: 1 });
  });

  it('has them undone under the longest of ids, wherever that is cut', () => {
    const runId = `${'a'.repeat(99)}\u{1F600}${'b'.repeat(97)}`;
    const lanes = new SeveralLanes(1, {}, undoableTools()).submit(trip, { runId, compensate: 'on_cancel' }).calm();
    lanes.work(runId, 'car 7').calm().cancel(runId);
    lanes.at(runId).closed(`${runId}/look/0`);
    lanes.calm().crash(0).work(lanes.undoOf(runId)).calm();
    expect(last(lanes, runId, 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', undone: 1 });
  });

  it('keeps its key for it: the next run begins when they are undone', () => {
    const key = { concurrency: { key: 'k', policy: 'queue' } } as const;
    const lanes = travelling({ compensate: 'on_cancel', ...key });
    cancelled(lanes.submit(trip, { runId: 'q', ...key }).calm());
    // Whoever asks the holder whether it still lives hears nothing else.
    lanes.tick(DEFAULTS.keyAskAgainMs).calm();
    for (let call = 0; call < 2; call += 1) {
      expect(lanes.live('q')?.steps).toEqual([]);
      lanes.work(lanes.undoOf('p')).calm();
    }
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', returns: { key: 'k' } });
    expect(lanes.live('q')?.steps.length).toBe(1);
  });

  it('has them undone also by a tool that does not remember its keys for a day', () => {
    const tools = new Map(undoableTools());
    const release = tools.get('release@1');
    if (release !== undefined) tools.set('release@1', { ...release, keyTtlMs: 100_000 });
    const lanes = cancelled(travelling({ compensate: 'on_cancel' }, tools));
    lanes.work(lanes.undoOf('p')).calm().work(lanes.undoOf('p')).calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', undone: 2 });
  });

  it('leaves them when the run is killed in the meantime, and says what is held', () => {
    const lanes = travelling().ask(request('CancelRun', { requestId: 'c', runId: 'p', withinMs: 60_000 }));
    lanes.ask(request('KillRun', { requestId: 'k', runId: 'p' })).calm();
    lanes.at('p').closed('p/seat/0');
    lanes.calm();
    expect(last(lanes, 'p', 'CompensationStarted')).toBeUndefined();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'blocked', undone: 0, heldTotal: 2 });
    expect(lanes.run('p')?.status).toBe('ended');
  });

  it('goes on undoing when it is cancelled once more', () => {
    const lanes = cancelled(travelling());
    lanes.ask(request('CancelRun', { requestId: 'again', runId: 'p' })).calm();
    lanes.work(lanes.undoOf('p')).calm().work(lanes.undoOf('p')).calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'succeeded', undone: 2 });
  });

  it('stops undoing when the run that undoes is cancelled, and says what is held', () => {
    const lanes = cancelled(travelling());
    lanes.work(lanes.undoOf('p')).calm().cancel(lanes.undoOf('p'));
    lanes.at(lanes.undoOf('p')).closed(`${lanes.undoOf('p')}/undo0[1].call/0`);
    lanes.calm();
    const held = [{ stepId: 'car', tool: 'reserve@1' }];
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({
      outcome: 'cancelled',
      undone: 1,
      held,
      heldTotal: 1,
    });
  });

  it('asks for the approvals that the run itself had to ask for', () => {
    const approvals = [{ tool: 'release' }];
    const lanes = cancelled(travelling({ compensate: 'on_cancel', approvals }));
    expect(undone(lanes)).toEqual([]);
    expect(eventsOf(lanes, lanes.undoOf('p')).findLast(({ type }) => type === 'EscalationOpened')?.data).toMatchObject({
      kind: 'approval',
      context: { tool: 'release@1' },
    });
  });

  it('waits for a doubt, and undoes what turns out to be applied', () => {
    const lanes = travelling();
    lanes.say('p', 'AttemptUnknown');
    lanes.cancel('p', 1_000).tick(1_000).calm();
    expect(last(lanes, 'p', 'RunEnded')?.reason).toBe('cancelled');
    expect(lanes.live('p')?.undo).toMatchObject({ status: 'none' });
    const doubtSeq = lanes.live('p')?.steps[0]?.doubt?.seq ?? -1;
    const about = { runId: 'p', stepId: 'seat', attemptId: 'p/seat/0', askedAt: lanes.clock.now, result: 'seat 1' };
    lanes.put(lanes.laneOf('p'), { kind: 'verdict', verdict: verdict(doubtSeq, 'applied', about) }).calm();
    for (let call = 0; call < 3; call += 1) lanes.work(lanes.undoOf('p')).calm();
    expect(undone(lanes)).toMatchObject([{ result: 'seat 1' }, { result: 'room 9' }, { result: 'car 7' }]);
    expect(lanes.run('p')?.status).toBe('ended');
  });

  it('undoes nothing around a doubt that was given up', () => {
    const lanes = new SeveralLanes(3, {}, undoableTools('unprotected'))
      .submit(trip, { runId: 'p', compensate: 'on_cancel' })
      .calm();
    lanes.work('p').work('p').say('p', 'AttemptUnknown').tick(3_000);
    const question = Object.values(lanes.live('p')?.escalations ?? {})[0]?.seq ?? -1;
    lanes.cancel('p', 0).calm();
    lanes.ask(request('AnswerEscalation', { requestId: 'a', runId: 'p', escalation: question, choice: 'fail' })).calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({
      outcome: 'blocked',
      detail: '1 effects were given up in doubt',
      heldTotal: 1,
    });
    expect(lanes.run('p')?.status).toBe('ended');
  });

  it('asks a person when an undo fails for good, and names what is held when it is given up', () => {
    const lanes = cancelled(travelling());
    lanes.say(lanes.undoOf('p'), 'AttemptFailed', { retry: 'never' });
    const [question] = Object.values(lanes.live(lanes.undoOf('p'))?.escalations ?? {});
    expect(question).toMatchObject({ kind: 'exhausted', choices: ['retry', 'fail'] });
    const about = { runId: lanes.undoOf('p'), escalation: question?.seq ?? -1 };
    lanes.ask(request('AnswerEscalation', { ...about, requestId: 'a', choice: 'retry' })).tick(1_000);
    lanes.say(lanes.undoOf('p'), 'AttemptFailed', { retry: 'never' });
    const [again] = Object.values(lanes.live(lanes.undoOf('p'))?.escalations ?? {});
    lanes.ask(request('AnswerEscalation', { ...about, requestId: 'b', escalation: again?.seq ?? -1, choice: 'fail' }));
    lanes.calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'failed', undone: 0, heldTotal: 2 });
  });

  it('says so when the run that undoes is refused', () => {
    const lanes = travelling();
    lanes.places.forEach(({ harness }) => (harness.catalogue = new Map()));
    cancelled(lanes);
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'refused', undone: 0, heldTotal: 2 });
  });

  it('says so when it could not remember all that would have to be undone', () => {
    const lanes = new SeveralLanes(3, {}, undoableTools()).submit(trip, { runId: 'p', compensate: 'on_cancel' }).calm();
    lanes.work('p', 'x'.repeat(LIMITS.undoableBytes)).calm().cancel('p');
    lanes.at('p').closed('p/look/0');
    lanes.calm();
    expect(last(lanes, 'p', 'CompensationEnded')).toMatchObject({ outcome: 'blocked', undone: 0 });
  });

  it('does not wait for ever for a run that undoes and says nothing', () => {
    const lanes = cancelled(travelling());
    lanes.tick(1_000_000 + 5_000);
    expect(last(lanes, 'p', 'CompensationEnded')?.outcome).toBe('lost');
    expect(lanes.run('p')?.status).toBe('ended');
  });
});

describe('a submission whose effects are to be undone', () => {
  it('is refused when nobody has the tool that undoes them', () => {
    const tools = new Map([...undoableTools()].filter(([ref]) => ref !== 'release@1'));
    const submit = (more: object) => new SeveralLanes(1, {}, tools).submit(trip, { runId: 'p', ...more });
    expect(submit({ compensate: 'on_cancel' }).at('p').replies).toEqual(['submit p: invalid_program']);
    expect(submit({}).at('p').replies).toEqual(['submit p: accepted']);
  });
});

describe('whether effects are undone', () => {
  it.each([
    ['was said when it was submitted', { compensate: 'on_cancel' }, {}, true],
    ['was not said', {}, {}, false],
    ['is said by the cancel', {}, { compensate: true }, true],
    ['is taken back by the cancel', { compensate: 'on_cancel' }, { compensate: false }, false],
  ])('%s', (_, submitted, cancel, expected) => {
    const lanes = cancelled(travelling(submitted), cancel);
    expect(last(lanes, 'p', 'CompensationStarted') !== undefined).toBe(expected);
    expect(lanes.run('p')?.status === 'ended').toBe(!expected);
  });

  it('is no question of a run that succeeds or is killed', () => {
    const lanes = travelling()
      .ask(request('KillRun', { requestId: 'k', runId: 'p' }))
      .calm();
    expect(last(lanes, 'p', 'RunEnded')?.reason).toBe('cancelled');
    expect(last(lanes, 'p', 'CompensationStarted')).toBeUndefined();
  });

  it('is handed on to the runs that it has begun', () => {
    const lanes = new SeveralLanes(3, {}, undoableTools());
    const plan = planOf({ id: 'a', run: { program: trip as never } });
    lanes.submit(plan, { runId: 'p', compensate: 'on_cancel' }).calm().work('p~a').calm();
    lanes.cancel('p').calm();
    lanes.at('p~a').closed('p~a/look/0');
    lanes.calm();
    expect(last(lanes, 'p~a', 'CompensationStarted')).toMatchObject({ effects: 1 });
  });

  it.each(['is killed', 'fails', 'is replaced', 'is cancelled and then killed'])(
    'is not asked of what it has begun when a run %s',
    (how) => {
      const lanes = new SeveralLanes(3, {}, undoableTools());
      const key = { concurrency: { key: 'k', policy: 'cancel-older' } } as const;
      const child = planOf(step('x', 'reserve'), step('y', 'other', { after: ['x'] }));
      lanes.submit(planOf(runOf('a', child), step('z', 'other')), { runId: 'p', compensate: 'on_cancel', ...key });
      lanes.calm().work('p~a', 'x').calm().at('p').claims('p/z/0');
      const kill = request('KillRun', { requestId: 'k', runId: 'p' });
      if (how === 'is killed') lanes.ask(kill);
      if (how === 'fails') lanes.say('p', 'AttemptFailed', { retry: 'never' });
      if (how === 'is replaced') lanes.submit(planOf(step('a', 'other')), { runId: 'q', ...key });
      if (how === 'is cancelled and then killed') {
        const harness = lanes.at('p');
        harness.holdsAppends = true;
        lanes.tick(5_000).cancel('p', 60_000).ask(kill);
        while (harness.pending.length > 0) harness.answer();
        harness.holdsAppends = false;
      }
      lanes.calm().at('p~a').closed('p~a/y/0');
      lanes.at('p').closed('p/z/0');
      lanes.calm().tick(60_000).calm();
      expect(last(lanes, 'p~a', 'RunEnded')?.reason).toBe('cancelled');
      expect(last(lanes, 'p~a', 'CompensationStarted')).toBeUndefined();
    },
  );
});
