import { homeOfKey, type LaneRequest, type RequestOf } from '@holdfast/contracts';
import type { RunEventData, RunTicket, SharedEventData } from '@holdfast/events';
import type { Reaction } from '../run/run.react.js';

const ask = (home: string, request: LaneRequest, seq: number): Reaction => ({ kind: 'request', home, request, seq });

/** A run that has just been accepted asks for its key. */
export const claimKey = (data: RunEventData<'RunAccepted'>, seq: number): readonly Reaction[] => {
  const { runId, runKey: ticket, concurrency, generation } = data;
  if (concurrency === undefined) return [];
  const about = { requestId: `claim ${ticket}`, runId, ticket, ...concurrency };
  const request = {
    type: 'ClaimKey',
    data: { ...about, ...(generation === undefined ? {} : { generation }) },
  } as const;
  return [ask(homeOfKey(concurrency.key), request, seq)];
};

/** A run that is over gives back what it had or waited for. */
export const returnKey = (runId: string, { key, ticket }: { key: string; ticket: string }, seq: number): Reaction =>
  ask(homeOfKey(key), { type: 'ReleaseKey', data: { requestId: `release ${ticket}`, runId, key, ticket } }, seq);

type Displacing = { readonly key: string; readonly displaces: readonly RunTicket[] };

/** The run lives and replaces older ones: from here on they are told. */
export const sendAway = (by: string, { key, displaces }: Displacing, seq: number): readonly Reaction[] =>
  displaces.map(({ runId, ticket }) =>
    ask(runId, { type: 'SupersedeRun', data: { requestId: `supersede ${ticket}`, runId, ticket, key, by } }, seq),
  );

type Decided = Omit<RequestOf<'DecideKey'>['data'], 'requestId' | 'runId' | 'ticket' | 'key'>;
type Told = { readonly runId: string; readonly ticket: string; readonly key: string };

const tell = ({ runId, ticket, key }: Told, decided: Decided, seq: number): readonly Reaction[] => {
  const data = { requestId: `key ${seq}`, runId, ticket, key, ...decided };
  return [ask(runId, { type: 'DecideKey', data }, seq)];
};

export const tellAssigned = (data: SharedEventData<'KeyAssigned'>, seq: number): readonly Reaction[] =>
  tell(data, { verdict: 'granted', holder: null, displaces: data.displaces }, seq);

export const tellQueued = (data: SharedEventData<'KeyQueued'>, seq: number): readonly Reaction[] => {
  const { holder, place, displaces } = data;
  return tell(data, { verdict: 'waiting', holder, place, displaces }, seq);
};

export const tellRefused = (data: SharedEventData<'KeyRefused'>, seq: number): readonly Reaction[] =>
  tell(data, { verdict: 'denied', holder: data.by, code: data.code, displaces: [] }, seq);
