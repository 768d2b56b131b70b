import { isLaneEvent, isSharedEvent, type HistoryEvent, type LaneEvent } from '@holdfast/events';
import { react, reactShared, replyReaction, type Reaction } from '../run/run.react.js';
import type { LaneMachine, LaneOutput } from './lane.types.js';

/** Remembers what may call for a reaction, until history says that the reactions were acknowledged. */
export const noteUnreacted = (machine: LaneMachine, seq: number, runId: string | null, event: HistoryEvent): void => {
  if (event.type === 'LaneAcquired' || event.type === 'InputsLost') return;
  if (event.type !== 'LaneAdvanced') return void machine.unreacted.push({ seq, runId, event });
  const done = machine.lane.reactedSeq;
  const first = machine.unreacted[0];
  if (first !== undefined && first.seq <= done)
    machine.unreacted = machine.unreacted.filter((known) => known.seq > done);
  if (event.data.replies.length > 0) machine.unreacted.push({ seq, runId: null, event });
};

export const reactToLane = (event: LaneEvent, seq: number): readonly Reaction[] =>
  isSharedEvent(event) ? reactShared(event, seq) : [];

/** Reactions that a former owner may not have made. */
export const reactionsAgain = (machine: LaneMachine): readonly Reaction[] =>
  machine.unreacted.flatMap(({ seq, runId, event }): readonly Reaction[] => {
    if (event.type === 'LaneAdvanced') return event.data.replies.map((reply) => replyReaction(reply, seq));
    if (isLaneEvent(event)) return reactToLane(event, seq);
    const run = runId === null ? undefined : machine.lane.runs.get(runId)?.run;
    return run === undefined ? [] : react(run, event, seq);
  });

/** Drops all that belongs to a term of office. */
export const forgetOffice = (machine: LaneMachine): LaneOutput[] => {
  const watched = [...machine.live.values()].flatMap((facts) => [...facts.watched]);
  machine.inbox = [];
  machine.term += 1;
  machine.live.clear();
  machine.outstanding.clear();
  machine.dirty.clear();
  machine.starved.clear();
  machine.unserved = new Set();
  machine.firsts.clear();
  machine.lost.clear();
  machine.refused.clear();
  machine.closing.clear();
  machine.broken.clear();
  machine.requestsReadAt = 0;
  return [{ type: 'StopInputs' }, ...(watched.length > 0 ? [{ type: 'Unwatch', attemptIds: watched } as const] : [])];
};
