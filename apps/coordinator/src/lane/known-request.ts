import { homeOf, type Request } from '@holdfast/contracts';
import { cancelKey, DEFAULTS, entryOf, requestKey, type KnownRequest } from '@holdfast/events';
import { expiredReply } from '../run/remembered-cancel.decide.js';
import type { LaneDraft } from '../run/draft.js';
import type { LaneMachine } from './lane.types.js';

/** What is known of a request that was decided before, with the answer as it is true by now. */
export const knownRequest = (
  { lane }: Pick<LaneMachine, 'lane'>,
  { shared }: LaneDraft,
  request: Request,
  now: number,
): KnownRequest | undefined => {
  const runId = homeOf(request);
  const { requestId } = request.data;
  const known = lane.requests.get(requestKey(runId, requestId));
  // Whoever is told to ask again later may do so, and is not told the same for ever.
  if (known?.reply.code === 'too_many') return undefined;
  if (known?.acceptedBy !== 'CancelRemembered' || request.type !== 'CancelRun') return known;
  const isKept = entryOf(shared.cancels, cancelKey(request.data)) !== undefined;
  if (isKept || now < known.at + DEFAULTS.cancelMemoryMs) return known;
  return { ...known, reply: expiredReply({ runId, requestId }) };
};
