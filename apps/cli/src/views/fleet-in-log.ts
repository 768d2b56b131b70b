import type { ExecutorView } from '@holdfast/api';
import { decode, heartbeatKind, type Beat } from '@holdfast/contracts';
import { readToEnd } from '@holdfast/sdk';
import { unread, type InLog } from './in-log.js';

type Data<T extends Beat['type']> = Extract<Beat, { type: T }>['data'];
/** The last heartbeat of a member, and when the broker wrote it. */
export type Heard<D> = { readonly beat: D; readonly at: number };

export type FleetInLog = {
  readonly executors: readonly Heard<Data<'ExecutorBeat'>>[];
  readonly coordinators: readonly Heard<Data<'CoordinatorBeat'>>[];
  readonly reconcilers: readonly Heard<Data<'ReconcilerBeat'>>[];
  readonly ended: ReadonlySet<string>;
};

/** Some minutes of a busy fleet; who said nothing in them is not alive. */
const BEATS_MAX = 20_000;

/** Who was heard of lately, by the last heartbeat of each. */
export const fleetInLog = async ({ log, topics }: Pick<InLog, 'log' | 'topics'>): Promise<FleetInLog> => {
  const seen = {
    executors: new Map<string, Heard<Data<'ExecutorBeat'>>>(),
    coordinators: new Map<string, Heard<Data<'CoordinatorBeat'>>>(),
    reconcilers: new Map<string, Heard<Data<'ReconcilerBeat'>>>(),
  };
  const ended = new Set<string>();
  const place = { topic: topics.heartbeats, partition: 0 };
  try {
    const { start, end } = await log.bounds(place.topic, place.partition);
    const from = Math.max(start, end - BEATS_MAX);
    await readToEnd(
      log,
      place,
      ({ value, headers, at }) => {
        const decoded = decode(heartbeatKind, value, headers);
        if (!decoded.ok) return;
        const { message } = decoded;
        if (message.type === 'ExecutorBeat') seen.executors.set(message.data.executor, { beat: message.data, at });
        else if (message.type === 'CoordinatorBeat')
          seen.coordinators.set(message.data.coordinator, { beat: message.data, at });
        else if (message.type === 'ReconcilerBeat')
          seen.reconcilers.set(message.data.reconciler, { beat: message.data, at });
        else ended.add(message.data.session);
      },
      { from },
    );
  } catch (error) {
    throw unread(error, topics.heartbeats);
  }
  return {
    executors: [...seen.executors.values()],
    coordinators: [...seen.coordinators.values()],
    reconcilers: [...seen.reconcilers.values()],
    ended,
  };
};

/** Whether somebody was heard of within a lease, whatever the clocks. */
export const isAlive = ({ at }: Heard<unknown>, now: number, silenceMs: number): boolean => now - at <= silenceMs;

export const executorViews = (
  { executors, ended }: FleetInLog,
  now: number,
  silenceMs: number,
): readonly ExecutorView[] =>
  executors.map(({ beat, at }) => {
    const sessions = beat.sessions.map(({ session, state }) => ({
      session,
      state: ended.has(session) ? 'ended' : state,
    }));
    const alive = isAlive({ beat, at }, now, silenceMs) && sessions.some(({ state }) => state !== 'ended');
    const queues = Object.entries(beat.queues).map(([queue, { partitions, slots, free }]) => ({
      queue,
      slots,
      free,
      partitions: [...partitions],
    }));
    return { executor: beat.executor, alive, lastBeatAt: at, sessions, queues, tools: [...beat.tools] } as ExecutorView;
  });
