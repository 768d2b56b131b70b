import { attemptId, type ReplayPolicy } from '@holdfast/events';
import type { ModelRequest } from '@holdfast/programs';
import { unpaired } from '../../support/agents.js';
import type { SimProcess } from '../engine/process.js';
import { SETTLE_MS, type Sent } from '../world/office.js';
import { TIMES } from '../world/processes.js';
import type { History } from './history.js';
import type { Violated } from './invariant.js';

/** What the claims log says first about an attempt. `session` is null where it is closed. */
export type FirstClaim = {
  readonly session: string | null;
  readonly deadline: number;
  /** Virtual ms. */
  readonly at: number;
  readonly offset: number;
};

/** How long after its claim a call begins where nothing is slow, ms. */
const CALLED_MS = 500;

/** How long news of a heartbeat may be on its way, ms. */
const SLACK_MS = 300;

export type CallsParts = {
  readonly history: History;
  readonly sessionsOf: (process: SimProcess) => ReadonlySet<string>;
  readonly now: () => number;
  readonly keyTtlMs: number;
  /** When the key was first given out since the step is known not to have acted, epoch ms; infinite when that is not known. */
  readonly firstIssueAt: (runId: string, stepId: string) => number;
  readonly concurrency: number;
  /** Nothing is slow and nothing goes wrong. */
  readonly isCalm: boolean;
  /** When a heartbeat that names the session was last written, virtual ms. */
  readonly heardAt: (session: string) => number;
  readonly violated: Violated;
};

export type Begun = {
  readonly process: SimProcess;
  readonly id: string;
  readonly policy: ReplayPolicy;
  /** Calls that the process has under way, this one included. */
  readonly running: number;
};

/** Calls as they begin and effects as they are sent, held against the claims and the heartbeats. */
export class CallChecks {
  readonly firsts = new Map<string, FirstClaim>();
  private hasLost = false;
  private readonly deadlines = new Map<string, number>();

  constructor(private readonly parts: CallsParts) {}

  /** All claims are gone from the log: from now on only those made since can be asked for. */
  lose(): void {
    this.firsts.clear();
    this.hasLost = true;
  }

  claimed(id: string, first: FirstClaim): boolean {
    const { session, deadline } = first;
    const own = `${id} ${session}`;
    if (session !== null && (this.deadlines.get(own) ?? deadline) !== deadline)
      this.parts.violated('repeatsSayTheSame', `${session} claims ${id} again with another deadline`);
    this.deadlines.set(own, deadline);
    if (this.firsts.has(id)) return false;
    this.firsts.set(id, first);
    return true;
  }

  /** Half a pair in a transcript is refused by every endpoint, and for ever. */
  thinks(id: string, request: ModelRequest): void {
    for (const problem of unpaired(request)) this.parts.violated('everyCallIsAnswered', `${id} asks with ${problem}`);
  }

  /** A tool is called. */
  begins({ process, id, policy, running }: Begun): void {
    const { history, violated, concurrency } = this.parts;
    if (running > concurrency) violated('callsHaveSlots', `${process.id} has ${running} calls under way`);
    const order = history.scheduled.get(id);
    if (order === undefined) return violated('commandsFollowHistory', `${id} is called and was never scheduled`);
    if (policy === 'pure') return;
    if (!this.isHeld(process, id)) return;
    const { now } = process.times();
    const deadline = Math.min(this.firsts.get(id)?.deadline ?? 0, order.startBy + order.timeoutMs);
    if (now >= order.startBy) violated('callsBeginInTime', `${id} is called after its startBy`);
    if (now >= deadline) violated('callsBeginInTime', `${id} is called after its deadline`);
    this.freshly(id);
    const claimedAgoMs = this.parts.now() - (this.firsts.get(id)?.at ?? 0);
    if (this.parts.isCalm && claimedAgoMs > CALLED_MS)
      violated('claimsAreCalledAtOnce', `${id} is called ${claimedAgoMs} ms after it was claimed`);
  }

  /** An effect leaves its worker: its claim is durable and first, and it is not too late. */
  sends({ runId, stepId, attempt, process, policy }: Sent): void {
    const id = attemptId({ runId, stepId, attempt });
    const { history, violated } = this.parts;
    const first = this.firsts.get(id);
    if (!this.isHeld(process, id) || first === undefined) return;
    const order = history.scheduled.get(id);
    if (process.times().now > first.deadline)
      violated('noEffectAfterItsDeadline', `${id} acts after the deadline that its claim carries`);
    if (first.offset < (order?.claimsFrom ?? 0))
      violated('claimsAreKept', `${id} acts on a claim below its claimsFrom`);
    if (policy === 'keyed') this.keyLasts(id, first, this.parts.firstIssueAt(runId, stepId));
    history.acts({ runId, stepId, attempt });
  }

  /** No call may last longer than its tool remembers the key. */
  private keyLasts(id: string, { deadline }: FirstClaim, issuedAt: number): void {
    const { keyTtlMs, violated } = this.parts;
    if (deadline + SETTLE_MS >= issuedAt + keyTtlMs)
      violated('keyOutlastsCall', `${id} is called with a key that may be forgotten before its deadline`);
  }

  private isHeld(process: SimProcess, id: string): boolean {
    const { violated, sessionsOf } = this.parts;
    const first = this.firsts.get(id);
    if (first === undefined) {
      if (!this.hasLost) violated('claimBeforeEffect', `${id} acts and nobody has claimed it`);
      return false;
    }
    if (first.session === null) violated('closedNeverActs', `${id} acts although it is closed`);
    else if (sessionsOf(process).has(first.session)) return true;
    else violated('onlyHolderActs', `${process.id} acts for ${id}, which ${first.session} holds`);
    return false;
  }

  /** Nothing begins under a session that may have been taken for dead. */
  private freshly(id: string): void {
    const session = this.firsts.get(id)?.session ?? '';
    const silentMs = this.parts.now() - this.parts.heardAt(session);
    if (silentMs > TIMES.leaseMs + SLACK_MS)
      this.parts.violated('noCallOnOldHeartbeat', `${id} is called, ${session} was last heard of ${silentMs} ms ago`);
  }
}
