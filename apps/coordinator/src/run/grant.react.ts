import {
  isSettled,
  spentOfGrant,
  tenantHome,
  type LiveRun,
  type RunEventData,
  type RunState,
  type SharedEventData,
} from '@holdfast/events';
import type { Reaction } from './run.react.js';

type Ask = Extract<Reaction, { kind: 'request' }>;

/** A run that is over asks for nothing more, also when a new owner derives it again. */
export const isOver = (run: RunState): boolean => run.status === 'ended' || run.end !== null;

export const askReaction = ({ runId, parent }: LiveRun, data: RunEventData<'GrantAsked'>, seq: number): Ask => {
  const bound = parent === null || parent.detached ? {} : { parent: parent.runId };
  const { tenant, ask, need, want } = data;
  const request = {
    type: 'AskGrant',
    data: { requestId: `ask-grant-${seq}`, runId, tenant, ask, need, want, ...bound },
  } as const;
  return { kind: 'request', home: tenantHome(tenant), request, seq };
};

export const giveReaction = (
  { runId, tenant, ask, total, denied }: SharedEventData<'GrantGiven'>,
  seq: number,
): Ask => {
  const data = { requestId: `give-grant-${seq}`, runId, tenant, ask, total, denied };
  return { kind: 'request', home: runId, request: { type: 'GiveGrant', data }, seq };
};

/** What a run that is over has used, told to its tenant: at its end, and whenever it is known better. */
export const returnReactions = (after: RunState, seq: number): readonly Ask[] => {
  if (!isOver(after)) return [];
  const { runId } = after;
  const final = after.status === 'ended' || isSettled(after);
  const bill = after.status === 'ended' ? after.bill : billOf(after.budget.grant?.tenant, spentOfGrant(after));
  if (bill === undefined) return [];
  const { tenant, spent } = bill;
  const data = { requestId: `return-grant-${seq}`, runId, tenant, seq, spent: { ...spent }, final };
  return [{ kind: 'request', home: tenantHome(tenant), request: { type: 'ReturnGrant', data }, seq }];
};

const billOf = <T>(tenant: string | undefined, spent: T) => (tenant === undefined ? undefined : { tenant, spent });
