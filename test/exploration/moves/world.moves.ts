import { doubtsOf } from '../../../apps/reconciler/src/doubt/doubt.view.js';
import type { Answer } from '../../../apps/reconciler/src/doubt/doubt.verdict.js';
import type { Verdict } from '@holdfast/contracts';
import type { Move } from '../engine/system.js';
import { newCoordinator } from '../world/coordinator.js';
import { newExecutor } from '../world/executor.js';
import { folded, liveRunOf, runOf, told } from '../world/fold.js';
import type { Kit } from '../world/kit.js';
import type { Late, Order, World } from '../world/parts.js';
import { appended, replaced, withLate, withoutLate } from '../world/place.js';
import { tellReconciler } from '../world/reconciler.js';
import { cancelRequest } from '../world/requests.js';
import { acted, SETTLE_MS } from './call.moves.js';
import { coordinatorMoves } from './coordinator.moves.js';
import { executorMoves } from './executor.moves.js';
import { Moves } from './moves.js';
import { nextDue } from './due.js';

/** Everything that may happen next. */
export const movesOf = (kit: Kit, world: World): readonly Move<World>[] => {
  const moves = new Moves(kit);
  for (const index of world.coordinators.keys()) coordinatorMoves(moves, world, index);
  for (const index of world.executors.keys()) executorMoves(moves, world, index);
  reconcilerMoves(moves, world);
  timeMoves(moves, world);
  lateMoves(moves, world);
  seatFaults(moves, world);
  crashes(moves, world);
  zombies(moves, world);
  cancels(moves, world);
  return moves.all;
};

const reconcilerMoves = (moves: Moves, world: World): void => {
  const { kit } = moves;
  const cell = world.reconciler;
  const now = world.now.value;
  const { seen, asking, telling } = cell.value;
  const doubts = kit.cells.once(`doubts ${world.history.id}`, () =>
    kit.cells.of(doubtsOf(0, runOf(folded(kit, world.history)))),
  );
  if (doubts.value !== seen && doubts !== kit.cells.of(seen))
    moves.step(`R reads of ${doubts.value.length} doubts`, () => ({
      ...world,
      reconciler: tellReconciler(kit, cell, {
        about: `doubts ${doubts.id}`,
        input: { type: 'LaneSeen', lane: 0, doubts: doubts.value, now },
        change: { seen: doubts.value },
      }),
    }));
  if (asking !== null) {
    const { ask, view } = asking;
    const { lane, doubtSeq } = view;
    const hear = (answer: Answer) => () => ({
      ...world,
      reconciler: tellReconciler(kit, cell, {
        about: answer.verdict,
        input: { type: 'Answered', lane, doubtSeq, ask, answer, now },
        change: { asking: null },
      }),
    });
    const applied = world.ledger.value.some(({ key }) => key === view.key);
    moves.step(
      `the tool tells R that ${view.stepId} is ${applied ? 'applied' : 'absent'}`,
      hear(applied ? APPLIED : ABSENT),
    );
    moves.fault('silentTool', world, `the tool cannot tell R about ${view.stepId}`, hear(UNKNOWN));
  }
  const [judgement, ...rest] = telling;
  if (judgement !== undefined) {
    const { doubtSeq, probe } = judgement;
    moves.step(`R writes its verdict: ${judgement.stepId} is ${judgement.verdict}`, () => ({
      ...world,
      verdicts: appended(kit, world.verdicts, kit.cells.of({ ...VERDICT, data: judgement } as Verdict)),
      reconciler: tellReconciler(kit, cell, {
        about: 'told',
        input: { type: 'VerdictAppended', lane: 0, doubtSeq, probe, outcome: 'appended', offset: 0, detail: '', now },
        change: { telling: rest },
      }),
    }));
  }
  const ticked = tellReconciler(kit, cell, { about: 'tick', input: { type: 'Ticked', taken: {}, now } });
  if (ticked !== cell) moves.step('R looks at what is due', () => ({ ...world, reconciler: ticked }));
};

const APPLIED: Answer = { verdict: 'applied', result: 'done', evidence: { summary: 'it is there' } };
const ABSENT: Answer = { verdict: 'absent', evidence: { summary: 'it is not there' } };
const UNKNOWN: Answer = { verdict: 'unknown', evidence: { summary: 'it cannot be told' } };
const VERDICT = {
  version: 1,
  id: 'verdict',
  type: 'EffectJudged',
  source: 'reconciler',
  subject: null,
  time: '',
  principal: null,
};

/** Time passes when nothing else is to be done; that it passes all the same is a fault. */
const timeMoves = (moves: Moves, world: World): void => {
  const due = nextDue(world);
  if (due === null) return;
  const label = `time passes: ${due - world.now.value} ms`;
  const pass = () => ({ ...world, now: moves.kit.cells.of(due) });
  if (moves.all.every(({ kind }) => kind !== 'step')) moves.wait(label, pass);
  else moves.fault('slow', world, `${label}, although there is something to do`, pass);
};

const lateMoves = (moves: Moves, world: World): void => {
  const { kit } = moves;
  for (const [index, { value: late }] of world.late.value.entries()) {
    const lands = lateLands(kit, world, late);
    if (lands === null) continue;
    moves.late(lands.label, () => ({ ...world, ...lands.to(), late: withoutLate(kit, world, index) }));
  }
};

type Lands = { readonly label: string; readonly to: () => Partial<World> };

const lateLands = (kit: Kit, world: World, late: Late): Lands | null => {
  switch (late.kind) {
    case 'history':
      return {
        label: `an append lands late, at ${world.history.value.length}: ${told(kit, late.values)}`,
        to: () => ({ history: appended(kit, world.history, ...late.values) }),
      };
    case 'claims':
      return {
        label: `claims land late, at ${world.claims.value.length}: ${late.claims.map(({ type }) => type).join(', ')}`,
        to: () => ({ claims: appended(kit, world.claims, ...late.claims.map((claim) => kit.cells.of(claim))) }),
      };
    case 'word':
      return {
        label: `a word lands late in the journal: ${late.word.type} ${late.word.data.attemptId}`,
        to: () => ({ journal: appended(kit, world.journal, kit.cells.of(late.word)) }),
      };
    case 'effect':
      if (world.now.value >= late.until) return null;
      return {
        label: `a call that nobody waits for acts: ${late.call.order.attemptId}`,
        to: () => ({ ledger: acted(kit, world, late.call) }),
      };
  }
};

const withOrder = (kit: Kit, world: World, change: Partial<Order>): World => ({
  ...world,
  order: kit.cells.of({ ...world.order.value, ...change }),
});

const seatFaults = (moves: Moves, world: World): void => {
  const { kit } = moves;
  const { lane, queue } = world.order.value;
  if (world.coordinators.length === 2)
    moves.fault('laneSeat', world, `the seat of the lane goes to C${1 - lane}`, () =>
      withOrder(kit, world, { lane: 1 - lane }),
    );
  if (world.executors.length === 2)
    moves.fault('queueSeat', world, `the seat of the queue goes to E${1 - queue}`, () =>
      withOrder(kit, world, { queue: 1 - queue }),
    );
};

const crashes = (moves: Moves, world: World): void => {
  for (const [index, { value }] of world.coordinators.entries())
    moves.fault('coordinatorCrash', world, `C${index} dies`, () => coordinatorDies(moves.kit, world, index, value));
  for (const [index, { value }] of world.executors.entries())
    moves.fault('workerCrash', world, `the worker of E${index} dies`, () => workerDies(moves.kit, world, index, value));
};

const coordinatorDies = (
  kit: Kit,
  world: World,
  index: number,
  died: World['coordinators'][number]['value'],
): World => {
  const { sent, closes, machine } = died;
  const left: Late[] = [];
  if (sent !== null && sent.landed === null) left.push({ kind: 'history', values: sent.values });
  if (closes.length > 0)
    left.push({
      kind: 'claims',
      claims: closes.map(({ attemptId, startBy }) => ({
        type: 'AttemptClosed',
        data: { attemptId, closedBy: machine.setting.owner, startBy },
      })),
    });
  const { lane } = world.order.value;
  const other = world.coordinators.length === 2 && lane === index ? 1 - index : lane;
  return withOrder(
    kit,
    {
      ...world,
      late: withLate(kit, world, ...left),
      coordinators: replaced(world.coordinators, index, newCoordinator(kit, index, died.life + 1)),
    },
    { lane: other },
  );
};

const workerDies = (kit: Kit, world: World, index: number, died: World['executors'][number]['value']): World => {
  const now = world.now.value;
  const left: Late[] = died.words.map((word) => ({ kind: 'word', word }));
  if (died.sent !== null && died.sent.landed === null)
    left.push({ kind: 'claims', claims: died.sent.claims.map((data) => ({ type: 'AttemptClaimed', data })) });
  for (const call of died.calls) {
    const until = Math.min(call.deadline, now) + SETTLE_MS;
    if (!call.acted) left.push({ kind: 'effect', call, until });
  }
  const { queue, gone } = world.order.value;
  const ended = [...died.state.sessions.keys()].map(
    (session) => [session, { cause: 'session_ended', endedAt: now }] as const,
  );
  return withOrder(
    kit,
    {
      ...world,
      late: withLate(kit, world, ...left),
      executors: replaced(world.executors, index, newExecutor(kit, index, died.life + 1)),
    },
    {
      queue: world.executors.length === 2 && queue === index ? 1 - index : queue,
      gone: { ...gone, ...Object.fromEntries(ended) },
    },
  );
};

/** A living session is taken for dead once it holds something; it may be heard again at any later time, or never. */
const zombies = (moves: Moves, world: World): void => {
  const { kit } = moves;
  const { gone, queue } = world.order.value;
  for (const [index, { value }] of world.executors.entries()) {
    for (const session of value.state.sessions.keys()) {
      if (gone[session] === undefined) {
        if (![...value.state.attempts.values()].some((attempt) => attempt.session === session)) continue;
        const other = world.executors.length === 2 && queue === index ? 1 - index : queue;
        moves.fault('zombie', world, `session ${session} is taken for dead, but lives`, () =>
          withOrder(kit, world, {
            queue: other,
            gone: { ...gone, [session]: { cause: 'session_expired', endedAt: null } },
          }),
        );
      } else
        moves.late(`session ${session} is heard again`, () => {
          const { [session]: _, ...others } = gone;
          return withOrder(kit, world, { gone: others });
        });
    }
  }
};

const cancels = (moves: Moves, world: World): void => {
  const { kit } = moves;
  if (liveRunOf(folded(kit, world.history)) === undefined) return;
  moves.fault('cancel', world, 'a person cancels the run', () => ({
    ...world,
    requests: appended(kit, world.requests, kit.cells.of(cancelRequest)),
  }));
};
