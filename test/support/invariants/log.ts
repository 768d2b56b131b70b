import type { JournalRecord } from '@holdfast/contracts';
import { attemptId, type HistoryRecord } from '@holdfast/events';
import type { Invariant } from './evidence.js';

export const oneOwner: Invariant = {
  name: 'a lane has one valid owner at each position, and its history can be folded',
  about: ['history'],
  breach: ({ defect, history }) => {
    if (defect !== null) return defect;
    const owners = new Map<number, string>();
    for (const [seq, { lane, event }] of history.entries()) {
      if (lane.seq !== seq) return `record ${lane.seq} stands in place ${seq}`;
      const owner = owners.get(lane.epoch);
      if (owner === undefined && event.type !== 'LaneAcquired') return `epoch ${lane.epoch} begins with ${event.type}`;
      if (owner !== undefined && owner !== lane.owner)
        return `${owner} and ${lane.owner} both write in epoch ${lane.epoch}`;
      owners.set(lane.epoch, lane.owner);
    }
    return null;
  },
};

export const inputsOnce: Invariant = {
  name: 'inputs are consumed once, each with its consequence',
  about: ['history', 'journal', 'claims'],
  breach: ({ history, lane, journal, claims }) => {
    const twice = repeated(history);
    if (twice !== null) return twice;
    const { requests = 0, journal: read = 0 } = lane.positions;
    const answers = history.filter(
      ({ event }) => event.type === 'RunAccepted' || event.type === 'CancelRequested',
    ).length;
    const replies = history.reduce(
      (sum, { event }) => sum + (event.type === 'LaneAdvanced' ? event.data.replies.length : 0),
      0,
    );
    if (answers + replies < requests)
      return `of ${requests} requests that were passed ${answers + replies} have a consequence`;
    // A good outcome of the holder is the end of its step, whatever was thought before.
    for (const word of journal.slice(0, read)) {
      if (word.type !== 'AttemptSucceeded') continue;
      const { stepId, attempt, session } = word.data;
      const first = claims.find(({ data }) => 'attemptId' in data && data.attemptId === word.data.attemptId);
      if (first?.type === 'AttemptClaimed' && first.data.session !== session) continue;
      if (!history.some((record) => follows(record, word.data)))
        return `the outcome of ${stepId}/${attempt} was passed and has no consequence`;
    }
    return null;
  },
};

type Success = Extract<JournalRecord, { type: 'AttemptSucceeded' }>['data'];

/** Whether an event can be what a good outcome has led to: a failure that is not the end of its step cannot. */
const follows = ({ event, subject }: HistoryRecord, { runId, stepId, attempt }: Success): boolean => {
  if (subject !== runId || !('stepId' in event.data) || event.data.stepId !== stepId) return false;
  if (event.type === 'ConflictFound') return event.data.attempt === attempt;
  return event.type === 'StepSucceeded' || (event.type === 'StepFailed' && event.data.final);
};

/** What may be in a history once only. */
const repeated = (history: readonly HistoryRecord[]): string | null => {
  const seen = new Set<string>();
  for (const { event, subject, lane } of history) {
    const once =
      event.type === 'RunAccepted' || event.type === 'CancelRequested' || event.type === 'RunEnded'
        ? `${event.type} ${subject}`
        : event.type === 'StepSucceeded'
          ? `${event.type} ${subject}/${event.data.stepId}`
          : event.type === 'StepScheduled'
            ? `${event.type} ${attemptId({ runId: subject ?? '', ...event.data })}`
            : null;
    if (once === null) continue;
    if (seen.has(once)) return `${once} stands in history twice, again at ${lane.seq}`;
    seen.add(once);
  }
  return null;
};

export const commandsOfHistory: Invariant = {
  name: 'a command is published only for valid history',
  about: ['history', 'commands'],
  breach: ({ history, commands }) => {
    for (const order of commands) {
      const event = history
        .map(({ event, subject }) => ({ event, subject }))
        .find(
          ({ event, subject }) =>
            event.type === 'StepScheduled' && attemptId({ runId: subject ?? '', ...event.data }) === order.attemptId,
        )?.event;
      if (event?.type !== 'StepScheduled') return `the command for ${order.attemptId} has no StepScheduled in history`;
      const { startBy, argsHash, key, claimsFrom, policy } = event.data;
      const same =
        startBy === order.startBy &&
        argsHash === order.argsHash &&
        key === order.key &&
        claimsFrom === order.claimsFrom &&
        policy === order.policy;
      if (!same) return `the command for ${order.attemptId} says something else than its StepScheduled`;
    }
    return null;
  },
};
