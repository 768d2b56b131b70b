import { attemptId, type RunEventData } from '@holdfast/events';
import type { Scenario } from '../scenario/scenario.js';
import { TIMES } from '../world/processes.js';
import type { FirstClaim } from './calls.js';
import type { Violated } from './invariant.js';

export type DoubtsParts = {
  readonly scenario: Scenario;
  readonly now: () => number;
  readonly violated: Violated;
  readonly first: (id: string) => FirstClaim | undefined;
  /** Until when a coordinator has been disturbed, virtual ms. */
  readonly disturbedUntil: () => number;
};

type Heard = { readonly firstAt: number; lastAt: number; silentUntil: number };

/** How soon a death is noticed where nothing disturbs whoever looks, ms. */
const NOTICED_MS = 2_500;

/** Sessions as their heartbeats show them, and doubts held against that: none needless, none too late. */
export class DoubtChecks {
  private readonly sessions = new Map<string, Heard>();
  private readonly endedAt = new Map<string, number>();
  private readonly outcomes = new Map<string, number>();
  /** What is told of sessions may be old news. */
  private readonly lags: boolean;

  constructor(private readonly parts: DoubtsParts) {
    const old = ['heartbeats', 'step-claims', 'step-journal'];
    this.lags = parts.scenario.faults.some(
      ({ what, gate }) => what === 'lag' && old.includes(gate.split(' ')[1] ?? ''),
    );
  }

  /** When a heartbeat that names the session was last written, virtual ms. */
  heardAt(session: string): number {
    return this.sessions.get(session)?.lastAt ?? -Infinity;
  }

  beat(session: string): void {
    const now = this.parts.now();
    const known = this.sessions.get(session) ?? { firstAt: now, lastAt: now, silentUntil: now };
    if (now - known.lastAt > 0.8 * TIMES.leaseMs) known.silentUntil = now;
    known.lastAt = now;
    this.sessions.set(session, known);
  }

  ended(session: string): void {
    if (!this.endedAt.has(session)) this.endedAt.set(session, this.parts.now());
  }

  said(id: string, session: string): void {
    this.outcomes.set(`${id} ${session}`, this.outcomes.get(`${id} ${session}`) ?? this.parts.now());
  }

  opened(runId: string, { stepId, attempt, cause, session }: RunEventData<'DoubtOpened'>): void {
    const id = attemptId({ runId, stepId, attempt });
    if (session === null || this.lags) return;
    if (cause === 'session_expired') this.notAlive(id, session);
    if (cause === 'session_ended') this.notSaid(id, session);
    if (cause === 'deadline_passed') this.notLate(id, session);
  }

  private notAlive(id: string, session: string): void {
    const { now, violated } = this.parts;
    const known = this.sessions.get(session);
    if (known === undefined) return;
    const steadyMs = now() - Math.max(known.firstAt, known.silentUntil);
    if (now() - known.lastAt < TIMES.leaseMs / 3 && steadyMs > 2 * TIMES.leaseMs)
      violated(
        'theLivingAreNotDeclaredDead',
        `${session}, holder of ${id}, has never been silent and is said to be dead`,
      );
  }

  private notSaid(id: string, session: string): void {
    const said = this.outcomes.get(`${id} ${session}`) ?? Infinity;
    if (said < (this.endedAt.get(session) ?? Infinity))
      this.parts.violated('noNeedlessDoubt', `${id} is in doubt although ${session} had said what became of it`);
  }

  private notLate(id: string, session: string): void {
    const { now, disturbedUntil, scenario, first, violated } = this.parts;
    const known = Math.max(this.endedAt.get(session) ?? Infinity, first(id)?.at ?? Infinity, disturbedUntil());
    if (now() > known + NOTICED_MS + scenario.slowMs)
      violated('theDeadAreNoticed', `${session} has ended long ago and ${id} was left to its deadline`);
  }
}
