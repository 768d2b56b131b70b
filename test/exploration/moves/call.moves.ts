import type { CallOutcome } from '../../../apps/executor/src/session/session.messages.js';
import type { Effect } from '../../support/invariants/evidence.js';
import { UNIT_MS, type Kit } from '../world/kit.js';
import type { Call, World } from '../world/parts.js';
import { mayHappen, replaced, withLate } from '../world/place.js';
import { changed, said, tell, type ExecutorActor } from './executor.actor.js';

/** How long after its deadline, its end or the death of its worker a call may still act: the settle window of every tool here. */
export const SETTLE_MS = UNIT_MS;

/** What becomes of a worker's calls. */
export const callMoves = (actor: ExecutorActor): void => {
  for (const [at, call] of actor.cell.value.calls.entries()) oneCall(actor, at, call);
};

const oneCall = (actor: ExecutorActor, at: number, call: Call): void => {
  const { moves, world, cell, name } = actor;
  const { attemptId } = call.order;
  const now = world.now.value;
  const ends = (outcome: CallOutcome, more: Partial<World> = {}) =>
    tell(actor, said({ type: 'call-ended', attemptId, outcome }, { calls: cell.value.calls.toSpliced(at, 1) }), more);
  if (!call.acted && now < call.deadline + SETTLE_MS)
    moves.step(`the call of ${name} for ${attemptId} acts`, () =>
      changed(
        actor,
        `acts ${at}`,
        { calls: replaced(cell.value.calls, at, { ...call, acted: true }) },
        { ledger: acted(moves.kit, world, call) },
      ),
    );
  if (call.acted) moves.step(`the call of ${name} for ${attemptId} ends: succeeded`, () => ends(succeeded));
  // What left before the call ended may still arrive.
  const until = Math.min(call.deadline, now) + SETTLE_MS;
  const lands = () => ({ late: call.acted ? world.late : withLate(moves.kit, world, { kind: 'effect', call, until }) });
  if (call.aborted !== null) {
    const { aborted: reason } = call;
    const outcome: CallOutcome = reason === 'deadline' ? unknown : { outcome: 'aborted', effect: 'unknown', reason };
    moves.step(`the call of ${name} for ${attemptId} stops, and does not know whether it acted`, () =>
      ends(outcome, lands()),
    );
    if (!call.acted && reason !== 'deadline')
      moves.step(`the call of ${name} for ${attemptId} stops without having acted`, () =>
        ends({ outcome: 'aborted', effect: 'none', reason }),
      );
  }
  if (!call.acted)
    moves.fault('failedCall', world, `the call of ${name} for ${attemptId} fails without having acted`, () =>
      ends(failed),
    );
  if (mayHappen(world, 'unknownOutcome'))
    moves.fault('unknownOutcome', world, `the call of ${name} for ${attemptId} does not know whether it acted`, () =>
      ends(unknown, lands()),
    );
};

export const acted = ({ cells }: Kit, { ledger }: World, { order, session }: Call): World['ledger'] => {
  const { attemptId, stepId, key, policy } = order;
  const known = policy === 'keyed' && ledger.value.some((effect) => effect.key === key);
  return cells.of<readonly Effect[]>([...ledger.value, { attemptId, stepId, key, policy, session, applied: !known }]);
};

const succeeded: CallOutcome = { outcome: 'succeeded', result: 'done' };
const failed: CallOutcome = { outcome: 'failed', failure: { code: 'refused', message: 'it said no' }, retry: 'later' };
const unknown: CallOutcome = { outcome: 'unknown', failure: { code: 'no_answer', message: 'no answer came' } };
