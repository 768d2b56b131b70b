import { encode, type Request } from '@holdfast/contracts';
import { idempotencyKey, laneOf, type Choice, type HistoryRecord } from '@holdfast/events';
import { EPOCH } from '../engine/process.js';
import { planOf, step } from '../../support/plans.js';
import { count } from '../invariants/partitions.js';
import type { RunOrder } from '../scenario/scenario.js';
import type { Entry } from './office.js';
import type { World } from './world.js';

type View = { readonly entry: Entry | undefined; readonly lookedAt: number };
type Question = {
  readonly runId: string;
  readonly stepId: string;
  readonly escalation: number;
  readonly choices: readonly Choice[];
};

/** Whoever submits and cancels runs, and a person who looks into the office and answers what is asked, truthfully. */
export class Client {
  private requests = 0;
  /** What was to be seen of a step when its doubt began. */
  private readonly views = new Map<string, View>();
  /** When each run ended, virtual ms. */
  private readonly endedAt = new Map<string, number>();

  /** A run id for each lane. */
  private readonly last: readonly string[];

  constructor(private readonly world: World) {
    const { lanes } = world.scenario;
    this.last = count(lanes).map((lane) => idOn(lane, lanes));
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

  /** One more run on each lane: who leads it without knowing that somebody else has taken it learns so now. */
  submitLast(): void {
    for (const runId of this.last) this.submit({ runId, program: planOf(step('last', 'pure')), deadlineMs: LAST_MS });
  }

  get isLastDone(): boolean {
    return this.last.every((runId) => this.endedAt.has(runId));
  }

  private submit({ runId, program, deadlineMs }: Pick<RunOrder, 'runId' | 'program' | 'deadlineMs'>): void {
    const data = { requestId: `submit ${runId}`, runId, program, input: {}, deadlineMs };
    this.send(runId, { type: 'SubmitRun', data });
  }

  private cancel({ runId }: RunOrder): void {
    this.send(runId, { type: 'CancelRun', data: { requestId: `cancel ${runId}`, runId } });
  }

  private heard({ event, subject, lane }: HistoryRecord): void {
    const { schedule, dice, scenario } = this.world;
    if (event.type === 'RunEnded') this.endedAt.set(subject ?? '', schedule.now);
    const place = `${subject}/${'stepId' in event.data ? event.data.stepId : ''}`;
    if (event.type === 'DoubtOpened' && !this.views.has(place)) this.views.set(place, this.look(place));
    if (event.type !== 'EscalationOpened') return;
    const { kind, expiresAt } = event.data;
    if (kind === 'question' || kind === 'approval')
      return this.decide(subject ?? '', lane.seq, event.data.choices, expiresAt);
    const waits = dice.between(`person ${subject}/${event.data.stepId}`, 100, 2_000);
    const { stepId, choices } = event.data;
    const seen = this.views.get(place);
    const isHasty =
      seen !== undefined && choices.includes('applied') && dice.chance(`hasty ${subject}`, scenario.hasty);
    const question = { runId: subject ?? '', stepId, escalation: lane.seq, choices };
    if (isHasty) this.answer(question, seen);
    schedule.after(waits, () => this.answerTruly(question));
  }

  /** Around the time that there is to answer, perhaps by two people who do not know of each other. */
  private decide(runId: string, escalation: number, choices: readonly Choice[], expiresAt: number): void {
    const { schedule, dice } = this.world;
    const leftMs = Math.max(0, expiresAt - EPOCH - schedule.now);
    const people = dice.chance(`two people ${runId}`, 0.3) ? ['ann', 'bob'] : ['ann'];
    for (const person of people) {
      const choice = dice.pick(`${person} decides ${runId}`, choices as [Choice, ...Choice[]]);
      const requestId = `answer ${runId} ${(this.requests += 1)}`;
      schedule.after(dice.between(`${person} waits ${runId}`, 1, Math.ceil(leftMs * 1.3) + 1), () =>
        this.send(runId, { type: 'AnswerEscalation', data: { requestId, runId, escalation, choice } }),
      );
    }
  }

  /** Until somebody answers: an answer may be too early, or get lost among other news. */
  private answerTruly(question: Question): void {
    const { checks, schedule } = this.world;
    const { runId, escalation } = question;
    if (!checks.isAsked(runId, escalation)) return;
    this.answer(question, this.look(`${runId}/${question.stepId}`));
    schedule.after(1_500, () => this.answerTruly(question));
  }

  private answer({ runId, escalation, choices }: Question, { entry, lookedAt }: View): void {
    const inDoubt = entry === undefined ? ('absent' as const) : ('applied' as const);
    const choice = choices.includes('applied') ? inDoubt : choices.includes('retry') ? 'retry' : 'acknowledge';
    const result = choice === 'applied' ? { result: { receipt: entry?.receipt ?? 0 } } : {};
    const requestId = `answer ${runId} ${(this.requests += 1)}`;
    this.send(runId, { type: 'AnswerEscalation', data: { requestId, runId, escalation, choice, lookedAt, ...result } });
  }

  /** What there is to see of a step now. */
  private look(place: string): View {
    const { checks, office, schedule } = this.world;
    const slash = place.indexOf('/');
    const key = idempotencyKey(checks.runKeyOf(place.slice(0, slash)), place.slice(slash + 1));
    return { entry: office.entries.get(key)?.[0], lookedAt: Math.round(EPOCH + schedule.now) };
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

const LAST_MS = 60_000;

const idOn = (lane: number, lanes: number): string => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `last-${index}`);
  return ids.find((id) => laneOf(id, lanes) === lane) ?? '';
};

/** How long the doubts of an ended run are waited for, ms. */
const DOUBTS_LIVE_MS = 15_000;
