import type { JournalRecord } from '@holdfast/contracts';
import { step } from '../../../apps/executor/src/session/session.machine.js';
import type { News, Output } from '../../../apps/executor/src/session/session.messages.js';
import { initialState, partitionKey, type Partition } from '../../../apps/executor/src/session/session.state.js';
import { T0 } from '../../support/clock.js';
import { copied, type Cell } from '../engine/cell.js';
import { sealed } from '../engine/sealed.js';
import type { Kit } from './kit.js';
import type { Call, Executor } from './parts.js';

type Draft = { -readonly [K in keyof Executor]: Executor[K] };

export const QUEUE = 'default';
export const HERE = { queue: QUEUE, partition: 0 } as const;

export const sessionName = (index: number, life: number): string => `S${index}.${life}`;

/** A worker that has just started, with its session open and no seat. */
export const newExecutor = (kit: Kit, index: number, life: number): Cell<Executor> => {
  const state = initialState({
    rules: kit.sessionRules,
    concurrency: 1,
    skewMs: 0,
    graceMs: 0,
    startedAfterMs: Infinity,
  });
  sealed(state.settings);
  const fresh: Draft = {
    life,
    state,
    sent: null,
    words: [],
    calls: [],
    abortsNext: 0,
    reported: 0,
    asked: null,
    defect: null,
  };
  return told(kit, fresh, T0, [{ type: 'session-opened', session: sessionName(index, life) }]);
};

/** The machine is told something, on a heartbeat that was acknowledged this very moment, and what it asks for is noted. */
export const tellSession = (
  kit: Kit,
  cell: Cell<Executor>,
  news: News,
  { now, change = {} }: { readonly now: number; readonly change?: Partial<Draft> },
): Cell<Executor> => told(kit, { ...cell.value, ...change, state: copied(cell.value.state) }, now, [news]);

export const homeOf = ({ state }: Executor): Partition | undefined => state.partitions.get(partitionKey(QUEUE, 0));

const told = (kit: Kit, draft: Draft, now: number, news: readonly News[]): Cell<Executor> => {
  const { state } = draft;
  const time = { now, mono: now };
  const sessions = [...state.sessions.keys()];
  const beat: News = { type: 'beat-acknowledged', sessions, sent: time, clockOffMs: 0, clockIsRight: true };
  for (const one of sessions.length > 0 ? [beat, ...news] : news)
    for (const output of step(state, { ...time, ...one }).outputs) carryOut(draft, output, now);
  // Heartbeats are renewed before each input, and all that is past its time is looked for at each tick.
  for (const session of state.sessions.values()) session.beat = null;
  state.sweptAt = -Infinity;
  for (const { order } of state.attempts.values()) sealed(order);
  return kit.cells.of<Executor>({ ...draft, state, calls: sealed(draft.calls), words: sealed(draft.words) });
};

const carryOut = (draft: Draft, output: Output, now: number): void => {
  switch (output.type) {
    case 'append-claims':
      draft.sent = { append: output.append, claims: output.claims, landed: null };
      return;
    case 'start-call': {
      const { order, session, deadline } = output;
      const call: Call = { order: sealed(order), session, deadline, acted: false, aborted: null };
      draft.calls = [...draft.calls, call];
      return;
    }
    case 'abort-call':
      draft.calls = draft.calls.map((call) =>
        call.order.attemptId === output.attemptId ? { ...call, aborted: output.reason } : call,
      );
      return;
    case 'write-journal':
      draft.words = [...draft.words, recordOf(output.entry, now)];
      return;
    case 'report-position':
      draft.reported = output.next;
      return;
    case 'read-claims':
      draft.asked = { from: output.from, to: output.to };
      return;
    case 'partition-defect':
      draft.defect = output.detail;
      return;
    default:
      // What is followed stands in the state; sessions that drain do not occur, since no heartbeat is late.
      return;
  }
};

const recordOf = (entry: Extract<Output, { type: 'write-journal' }>['entry'], now: number): JournalRecord =>
  ({
    version: 1,
    id: entry.data.attemptId,
    source: 'executor',
    subject: entry.data.runId,
    time: new Date(now).toISOString(),
    principal: null,
    ...entry,
  }) as JournalRecord;
