import { homeOf, type RefusalCode } from '@holdfast/contracts';
import {
  aboutOf,
  DEFAULTS,
  isAccepting,
  nextSharedDue,
  type AcceptingEvent,
  type LiveRun,
  type Reply,
  type RunState,
} from '@holdfast/events';
import { advanceKeys } from '../keys/key-owner.decide.js';
import { advanceRun } from '../run/advance.decide.js';
import { holderOf } from '../run/attempts.js';
import { advanceBulkCancels } from '../run/bulk-cancel.decide.js';
import {
  draftOf,
  laneDraftOf,
  type BatchEvent,
  type DraftedEvent,
  type LaneDraft,
  type RunDraft,
} from '../run/draft.js';
import type { Env } from '../run/env.js';
import { decideJournal } from '../run/journal.decide.js';
import type { Budget } from '../run/place.js';
import { waitsForReading } from '../run/silence.decide.js';
import { forgetCancels } from '../run/remembered-cancel.decide.js';
import { sayAmended } from '../run/report.js';
import { react, replyReaction, type Reaction } from '../run/run.react.js';
import { refuseChild } from '../run/submit.decide.js';
import { forgetGrants, serveOn } from '../run/tenant.decide.js';
import { decideVerdict } from '../run/verdict.decide.js';
import { NOTES_MAX, RESERVE_BYTES, type Limits } from './batch-limits.js';
import { envOf, NOBODY } from './env-of.js';
import type { Arrival, Facts, LaneMachine, Work } from './lane.types.js';
import { knownRequest } from './known-request.js';
import { reactToLane } from './office.js';
import { deciderOf } from './requests.js';
import { roomOf } from './room.js';

type RequestWork = Extract<Work, { kind: 'request' }>;

/** What is decided for one batch, on a tentative state. The machine is not changed before `keep`. */
export class BatchDraft {
  readonly replies: Reply[] = [];
  readonly taken: Arrival[] = [];
  readonly lane: LaneDraft;
  readonly #drafts = new Map<string, RunDraft>();
  #env: Env;
  readonly #changed = new Set<string>();
  readonly #broken = new Map<string, string>();
  readonly advanced: { readonly runId: string; readonly starved: boolean; readonly more: boolean }[] = [];
  #spread: number;

  constructor(
    readonly machine: LaneMachine,
    facts: Facts,
    readonly limits: Limits,
  ) {
    this.#env = envOf(machine, facts);
    this.lane = laneDraftOf(machine.lane.seq, machine.lane.shared, () => this.#openRuns(), machine.unserved);
    this.#spread = machine.spread;
  }

  get events(): readonly BatchEvent[] {
    return this.lane.batch;
  }

  takeArrivals(): void {
    let bytes = 0;
    for (const arrival of this.machine.inbox) {
      bytes += arrival.bytes;
      const fits = bytes < this.#env.settings.decisionBytes - RESERVE_BYTES || this.taken.length === 0;
      if (this.taken.length >= this.limits.arrivals || this.#full() || !fits) break;
      this.#decide(arrival);
      this.taken.push(arrival);
    }
  }

  /** What time alone leads to for what the lane holds beside its runs. */
  advanceShared(): void {
    if (this.#full()) return;
    const notes = Math.min(NOTES_MAX, this.limits.notes);
    serveOn(this.lane, notes);
    if (nextSharedDue(this.lane.shared) > this.#env.now) return;
    this.replies.push(...forgetCancels(this.lane, this.#env.now, notes));
    advanceKeys(this.lane, this.#env, notes);
    forgetGrants(this.lane, this.#env.now, notes);
    const room = Math.min(notes, this.limits.events - this.events.length);
    advanceBulkCancels(this.lane, room, this.#env.now, (runId, decide) => this.#decided(runId, decide));
  }

  *#openRuns(): Iterable<LiveRun> {
    const { live, lane, broken } = this.machine;
    for (const runId of new Set([...live.keys(), ...this.#drafts.keys()])) {
      const run = this.#drafts.get(runId)?.run ?? lane.runs.get(runId)?.run;
      if (run !== undefined && run.status !== 'ended' && run.end === null && !broken.has(runId)) yield run;
    }
  }

  #decided(runId: string, decide: (draft: RunDraft) => void): boolean {
    const broken = this.#undecidable(runId, decide);
    if (broken !== null) this.#broken.set(runId, broken);
    return broken === null;
  }

  advanceRuns(): void {
    // What a lost session has said may wait far back in the inbox; its word spares a doubt.
    if (this.taken.length < this.machine.inbox.length) this.#env = { ...this.#env, lost: NOBODY, answersReadAt: 0 };
    const room = roomOf(this.machine, this.#env);
    for (const runId of this.#wanted(room)) {
      if (this.advanced.length >= this.limits.runs || this.#full()) break;
      const budget: Budget = { ...this.limits, room, spread: this.#spread, starved: false, more: false };
      this.#decided(runId, (draft) => advanceRun(draft, this.#env, budget));
      this.#spread = budget.spread % 1_000_000;
      this.advanced.push({ runId, starved: budget.starved, more: budget.more });
    }
  }

  /** One amendment for each run, whatever was settled in the batch. It belongs to what is decided already. */
  amendReports(): void {
    for (const runId of this.#drafts.keys()) this.#decided(runId, (draft) => sayAmended(draft, this.#env));
  }

  /** The decisions are taken over: what was looked at need not be looked at again. */
  keep(): void {
    const { machine } = this;
    machine.spread = this.#spread;
    machine.unserved = this.lane.unserved;
    for (const [runId, reason] of this.#broken) machine.broken.set(runId, reason);
    for (const runId of this.#changed) machine.dirty.add(runId);
    for (const { runId, starved, more } of this.advanced) {
      machine.dirty.delete(runId);
      machine.starved.delete(runId);
      // At the end of the line again, so that a run with very many steps does not starve the others.
      if (more || this.#waitsForTheInbox(runId)) machine.dirty.add(runId);
      else if (starved) machine.starved.add(runId);
    }
  }

  /** Whether losses and silence are judged later and that is about the run: then it is to be looked at again. */
  #waitsForTheInbox(runId: string): boolean {
    const { lost } = this.machine;
    const run = this.machine.lane.runs.get(runId)?.run;
    if (this.#env.lost === lost || run === undefined || run.status === 'ended') return false;
    if (waitsForReading(run, this.#env)) return true;
    return run.steps.some((step) =>
      step.attempts.some(
        (attempt) => attempt.status !== 'doubtful' && lost.has(holderOf(this.#env, run, step, attempt)?.session ?? ''),
      ),
    );
  }

  /** What follows from the batch; `last` is the number of the record that carries the replies. */
  reactions(last: number): readonly Reaction[] {
    const reactions = this.events.flatMap((batched, index) =>
      batched.runId === null ? reactToLane(batched.event, this.lane.seq + index + 1) : this.#reactTo(batched.drafted),
    );
    return [...reactions, ...this.replies.map((reply) => replyReaction(reply, last))];
  }

  /** Seen from the run after the whole batch: an attempt that was closed in the same batch gets no command. */
  #reactTo({ after, event, seq }: DraftedEvent): readonly Reaction[] {
    const latest: RunState = this.#drafts.get(after.runId)?.run ?? after;
    return react(latest, event, seq);
  }

  /** Runs about which something is new, then those that wait for a place while there is one. */
  #wanted(room: ReadonlyMap<string, number>): Set<string> {
    const wanted = new Set([...this.machine.dirty, ...this.#changed]);
    for (const runId of this.machine.broken.keys()) wanted.delete(runId);
    if (![...room.values()].some((places) => places > 0)) return wanted;
    for (const runId of this.machine.starved) {
      if (wanted.size >= this.limits.runs) break;
      if (!this.machine.broken.has(runId)) wanted.add(runId);
    }
    return wanted;
  }

  #full(): boolean {
    return this.events.length >= this.limits.events;
  }

  #decide({ topic, work }: Arrival): void {
    switch (work.kind) {
      case 'lost': {
        const { from, to, acceptedBy } = work;
        return void this.lane.batch.push({
          runId: null,
          event: { type: 'InputsLost', version: 1, data: { topic, from, to, acceptedBy } },
        });
      }
      case 'pass':
        return;
      case 'refuse': {
        const { requestId, runId, code, message, submission } = work;
        this.replies.push({ requestId, runId, outcome: 'refused', code, message });
        return submission === undefined ? undefined : refuseChild(this.lane, submission, work);
      }
      case 'journal':
        return void this.#decided(work.word.data.runId, (draft) => decideJournal(draft, work.word, this.#env));
      case 'verdict':
        return void this.#decided(work.verdict.data.runId, (draft) => decideVerdict(draft, work.verdict, this.#env));
      case 'request':
        return this.#request(work);
    }
  }

  #request(work: RequestWork): void {
    const { request } = work;
    const { requestId } = request.data;
    const runId = homeOf(request);
    const known = knownRequest(this.machine, this.lane, request, this.#env.now);
    const earlier = known?.acceptedBy ?? this.#acceptedHere(runId, requestId);
    const decider = deciderOf(request);
    if (decider.acceptedBy === null) return this.#decideRequest(work);
    if (earlier !== null && !decider.acceptedBy.includes(earlier)) {
      const message = `the request id ${requestId} was used for another request about this run; choose another`;
      return this.#refuse(work, { code: 'invalid_request', message });
    }
    if (known !== undefined) return void this.replies.push(known.reply);
    const answered = this.replies.some((reply) => reply.requestId === requestId && reply.runId === runId);
    if (earlier !== null || answered) return;
    if (this.#tooOld(work)) {
      const message = `requests are remembered for ${DEFAULTS.requestMemoryMs} ms only; this one is older`;
      return this.#refuse(work, { code: 'too_old', message });
    }
    this.#decideRequest(work);
  }

  #decideRequest(work: RequestWork): void {
    const { data } = work.request;
    const runId = 'runId' in data ? data.runId : homeOf(work.request);
    const broken = this.#undecidable(runId, (draft) => deciderOf(work.request).decide(draft, work, this.#env));
    if (broken === null) return;
    const message = `the request could not be decided, which is a defect of the runtime: ${broken}`;
    this.#refuse(work, { code: 'undecidable', message });
  }

  #refuse({ request }: RequestWork, reply: { readonly code: RefusalCode; readonly message: string }): void {
    const { requestId } = request.data;
    this.replies.push({ requestId, runId: homeOf(request), outcome: 'refused', ...reply });
    refuseChild(this.lane, request, reply);
  }

  /** Whether a repeat of the request could have been forgotten: it must not be taken for a new one. */
  #tooOld({ request, at }: RequestWork): boolean {
    const said = Date.parse(request.time);
    const issuedAt = Number.isNaN(said) ? at : Math.min(said, at);
    return issuedAt + DEFAULTS.requestMemoryMs <= Math.max(this.machine.lane.at, this.#env.now);
  }

  #acceptedHere(runId: string, requestId: string): AcceptingEvent | null {
    for (const batched of this.lane.batch) {
      const event = batched.runId === null ? batched.event : batched.drafted.event;
      if ((batched.runId ?? aboutOf(event)) !== runId || !isAccepting(event)) continue;
      if (event.data.requestId === requestId) return event.type;
    }
    return null;
  }

  /**
   * Decides about one run, or takes back what was decided and answers why it cannot be, so that the others go on. An
   * outcome or a verdict that is passed over like that leaves its attempt held or its step in doubt: it is found out
   * again, and nothing is taken for done or for not done.
   */
  #undecidable(runId: string, decide: (draft: RunDraft) => void): string | null {
    const { lane } = this;
    const { shared } = lane;
    const batched = lane.batch.length;
    const before = this.#drafts.get(runId);
    const kept = before && { ...before, events: before.events.length };
    try {
      this.#on(runId, decide);
      return null;
    } catch (error) {
      lane.batch.length = batched;
      lane.shared = shared;
      if (before === undefined || kept === undefined) this.#drafts.delete(runId);
      else {
        before.run = kept.run;
        before.amendment = kept.amendment;
        before.events.length = kept.events;
        before.replies.length = 0;
      }
      return error instanceof Error ? error.message : String(error);
    }
  }

  #on(runId: string, decide: (draft: RunDraft) => void): void {
    const draft = this.#drafts.get(runId) ?? draftOf(runId, this.machine.lane.runs.get(runId)?.run, this.lane);
    this.#drafts.set(runId, draft);
    const before = draft.events.length;
    decide(draft);
    this.replies.push(...draft.replies.splice(0));
    if (draft.events.length > before) this.#changed.add(runId);
  }
}
