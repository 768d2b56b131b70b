import { encodeHistory, nextChain, runEvent, type HistoryEvent, type RunEventOf } from '@holdfast/events';
import type { Entry } from '@holdfast/log';
import { sha256 } from '../digest.js';

type Step = { readonly event: HistoryEvent; readonly runId: string | null };

/** Writes a lane's history as its coordinators would: whole batches, each ended by `LaneAdvanced`. */
export class LaneAuthor {
  private seq = -1;
  private chain = '';
  private readonly prev = new Map<string, string>();

  constructor(
    private readonly lane: number,
    private epoch = 0,
    private owner = '',
  ) {}

  /** Takes the lane over: a batch of one. */
  acquire(owner: string): readonly Entry[] {
    this.epoch += 1;
    this.owner = owner;
    return this.batch([{ event: { type: 'LaneAcquired', version: 1, data: { at: 1 } }, runId: null }]);
  }

  /** A batch of events of one run. */
  decide(runId: string, ...events: readonly HistoryEvent[]): readonly Entry[] {
    return this.batch([...events.map((event) => ({ event, runId })), { event: this.advanced(''), runId: null }]);
  }

  /** A batch of events of the lane itself. */
  tell(...events: readonly HistoryEvent[]): readonly Entry[] {
    return this.batch([...events, this.advanced('')].map((event) => ({ event, runId: null })));
  }

  private batch(steps: readonly Step[]): readonly Entry[] {
    const first = this.seq + 1;
    return steps.map((step) => this.entry(step, first, steps.length));
  }

  private entry({ event, runId }: Step, first: number, size: number): Entry {
    this.seq += 1;
    const value = encodeHistory({
      id: `${this.lane}/${this.seq}`,
      time: new Date(0).toISOString(),
      subject: runId,
      principal: null,
      lane: { epoch: this.epoch, seq: this.seq, owner: this.owner, first, size },
      prev: runId === null ? null : (this.prev.get(runId) ?? null),
      event: event.type === 'LaneAdvanced' ? this.advanced(this.chain) : event,
    });
    const digest = sha256(value);
    if (runId !== null) this.prev.set(runId, digest);
    this.chain = nextChain(this.chain, digest, sha256);
    return { key: runId, value };
  }

  private advanced(chain: string): HistoryEvent {
    return { type: 'LaneAdvanced', version: 1, data: { positions: {}, reactedSeq: -1, replies: [], at: 1, chain } };
  }
}

export const runAccepted = (runId: string): RunEventOf<'RunAccepted'> =>
  runEvent('RunAccepted', {
    runId,
    requestId: `submit-${runId}`,
    requestHash: 'h',
    principal: null,
    labels: {},
    runKey: 'k'.repeat(16),
    program: { kind: 'plan', steps: [{ id: 'read', tool: 'read@1' }] },
    input: {},
    tools: {},
    acceptedAt: 1,
    deadlineAt: 2,
  });

export const runEnded = (): RunEventOf<'RunEnded'> =>
  runEvent('RunEnded', {
    reason: 'succeeded',
    detail: '',
    report: {
      applied: 0,
      absent: [],
      inDoubt: [],
      running: [],
      conflicts: [],
      totals: { absent: 0, inDoubt: 0, running: 0, conflicts: 0 },
      stepsSucceeded: 1,
      stepsFailed: 0,
    },
    endedAt: 2,
  });
