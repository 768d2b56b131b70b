import { encode, type Request } from '@holdfast/contracts';
import { idempotencyKey, laneOf, type HistoryRecord, type RunEventData } from '@holdfast/events';
import { EPOCH } from '../engine/process.js';
import type { RunOrder } from '../scenario/scenario.js';
import type { World } from './world.js';

/** Whoever submits and cancels runs, and a person who looks into the office and answers what is asked, truthfully. */
export class Client {
  private requests = 0;
  /** When each run ended, virtual ms. */
  private readonly endedAt = new Map<string, number>();

  constructor(private readonly world: World) {
    world.checks.onFact = (record) => this.heard(record);
  }

  begin(): void {
    const { schedule, scenario } = this.world;
    for (const order of scenario.runs) {
      for (let copy = 0; copy < order.copies; copy += 1) {
        schedule.after(order.at + copy * 700, () => this.submit(order));
        if (order.cancelAt !== null) schedule.after(order.cancelAt + copy * 700, () => this.cancel(order));
      }
    }
  }

  /** Every run has ended and nothing of it is open; what nobody can settle any more is not waited for. */
  isDone(): boolean {
    const { scenario, schedule, checks } = this.world;
    if (checks.unanswered().length > 0) return false;
    return scenario.runs.every(({ runId }) => {
      const ended = this.endedAt.get(runId);
      if (ended === undefined) return false;
      return checks.runOf(runId)?.status === 'ended' || schedule.now > ended + DOUBTS_LIVE_MS;
    });
  }

  private submit({ runId, program, deadlineMs }: RunOrder): void {
    const data = { requestId: `submit ${runId}`, runId, program, input: {}, deadlineMs };
    this.send(runId, { type: 'SubmitRun', data });
  }

  private cancel({ runId }: RunOrder): void {
    this.send(runId, { type: 'CancelRun', data: { requestId: `cancel ${runId}`, runId } });
  }

  private heard({ event, subject, lane }: HistoryRecord): void {
    const { schedule, dice, scenario } = this.world;
    if (event.type === 'RunEnded') this.endedAt.set(subject ?? '', schedule.now);
    if (event.type === 'DoubtOpened' && dice.chance(`person ${subject} hasty`, scenario.hasty)) {
      return this.guess(subject ?? '', event.data.stepId);
    }
    if (event.type !== 'EscalationOpened') return;
    const waits = dice.between(`person ${subject}/${event.data.stepId}`, 100, 2_000);
    schedule.after(waits, () => this.answer(subject ?? '', lane.seq, event.data));
  }

  private answer(runId: string, escalation: number, { stepId, choices }: RunEventData<'EscalationOpened'>): void {
    const { checks, office, schedule } = this.world;
    const runKey = checks.runKeyOf(runId);
    const [entry] = office.entries.get(idempotencyKey(runKey, stepId)) ?? [];
    const inDoubt = entry === undefined ? ('absent' as const) : ('applied' as const);
    const choice = choices.includes('applied') ? inDoubt : choices.includes('retry') ? 'retry' : 'acknowledge';
    const result = choice === 'applied' ? { result: { receipt: entry?.receipt ?? 0 } } : {};
    const lookedAt = Math.round(EPOCH + schedule.now);
    const requestId = `answer ${runId} ${(this.requests += 1)}`;
    this.send(runId, { type: 'AnswerEscalation', data: { requestId, runId, escalation, choice, lookedAt, ...result } });
    // Too early for an absence, or lost among other news: whoever gets no answer asks again.
    schedule.after(1_500, () => {
      if (checks.isAsked(runId, escalation)) this.answer(runId, escalation, { stepId, choices } as never);
    });
  }

  /** Says at once what there is to see now, although nobody has asked. */
  private guess(runId: string, stepId: string): void {
    const { checks, office, schedule } = this.world;
    const [entry] = office.entries.get(idempotencyKey(checks.runKeyOf(runId), stepId)) ?? [];
    const choice = entry === undefined ? 'absent' : 'applied';
    const result = entry === undefined ? {} : { result: { receipt: entry.receipt } };
    const requestId = `guess ${runId} ${(this.requests += 1)}`;
    const lookedAt = Math.round(EPOCH + schedule.now);
    this.send(runId, { type: 'AnswerEscalation', data: { requestId, runId, stepId, choice, lookedAt, ...result } });
  }

  private send(runId: string, request: Pick<Request, 'type' | 'data'>): void {
    const { cluster, names, scenario, schedule, trace } = this.world;
    const time = new Date(EPOCH + schedule.now).toISOString();
    const { requestId } = request.data;
    trace.note(`asked: ${requestId}${'choice' in request.data ? ` ${request.data.choice}` : ''}`);
    const value = encode({
      ...request,
      version: 1,
      id: requestId,
      source: 'client',
      subject: runId,
      time,
      principal: null,
    });
    cluster.partition(names.requests, laneOf(runId, scenario.lanes)).append([{ key: runId, value }]);
  }
}

/** How long the doubts of an ended run are waited for, ms. */
const DOUBTS_LIVE_MS = 15_000;
