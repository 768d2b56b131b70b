import { decode, heartbeatKind } from '@holdfast/contracts';
import type { Json } from '@holdfast/programs';
import type { ExecutorRow, MemberRow } from '../store/tables.js';
import type { Changes } from './changes.js';
import { KeptRows } from './kept-rows.js';
import type { View } from './projection.js';

/** Beats are kept for an hour; whoever has said nothing for so long is forgotten. */
const FORGET_MS = 3_600_000;

type BeatRecord = { readonly offset: number; readonly at: number; readonly value: Uint8Array | null };
type Session = { readonly session: string; readonly state: string };
/** Sessions that are over, of each executor; only the last ones are shown. */
const ENDED_MAX = 20;

/** Who is alive, by what the heartbeats say. */
export class FleetView implements View {
  private readonly executors = new KeptRows<ExecutorRow>(({ executor }) => executor);
  private readonly members = new KeptRows<MemberRow>(({ role, member }) => `${role}\n${member}`);

  private latest = 0;

  /** What is no heartbeat says nothing. */
  see({ offset, at, value }: BeatRecord): void {
    const decoded = decode(heartbeatKind, value);
    if (!decoded.ok) return;
    const { type, data } = decoded.message;
    const seen = { offset, lastBeatAt: at };
    if (type === 'CoordinatorBeat')
      this.members.put({ role: 'coordinator', member: data.coordinator, lanes: data.lanes, ...seen });
    else if (type === 'ReconcilerBeat')
      this.members.put({ role: 'reconciler', member: data.reconciler, lanes: data.lanes, ...seen });
    else if (type === 'SessionEnded') this.end(data.executor, data.session, offset);
    else this.beat(data.executor, { sessions: data.sessions, queues: data.queues, tools: data.tools }, seen);
    this.latest = Math.max(this.latest, at);
  }

  take(): Changes {
    this.forget(this.latest);
    return { accepted: [], rows: { executors: this.executors.take(), members: this.members.take() } };
  }

  drop(): void {
    this.take();
  }

  private beat(
    executor: string,
    { sessions, ...shown }: { sessions: readonly Session[] } & Pick<ExecutorRow, 'queues' | 'tools'>,
    seen: Pick<ExecutorRow, 'offset' | 'lastBeatAt'>,
  ): void {
    const ended = this.sessionsOf(executor).filter(
      ({ session, state }) => state === 'ended' && !sessions.some((one) => one.session === session),
    );
    this.executors.put({ executor, ...shown, ...seen, sessions: json([...sessions, ...ended.slice(-ENDED_MAX)]) });
  }

  private end(executor: string, session: string, offset: number): void {
    const row = this.executors.get(executor);
    if (row === undefined) return;
    const others = this.sessionsOf(executor).filter((one) => one.session !== session);
    this.executors.put({ ...row, offset, sessions: json([...others, { session, state: 'ended' }]) });
  }

  private sessionsOf(executor: string): readonly Session[] {
    return (this.executors.get(executor)?.sessions ?? []) as unknown as readonly Session[];
  }

  private forget(now: number): void {
    for (const rows of [this.executors, this.members])
      for (const [key, { lastBeatAt }] of rows.entries()) if (lastBeatAt + FORGET_MS <= now) rows.forget(key);
  }
}

const json = (sessions: readonly Session[]): Json => sessions.map(({ session, state }) => ({ session, state }));
