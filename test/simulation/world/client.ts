import { encode, homeOf, laneOfRequest, type Request } from '@holdfast/contracts';
import { idempotencyKey, laneOf, type Choice, type HistoryRecord } from '@holdfast/events';
import { EPOCH } from '../engine/process.js';
import { planOf, step } from '../../support/plans.js';
import { count } from '../invariants/partitions.js';
import { bulkId, keysOf, lastOf, type Ask, type Bulk, type RunOrder } from '../scenario/scenario.js';
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

  /** A run for each lane, and one for each key. */
  private readonly last: readonly Pick<RunOrder, 'runId' | 'concurrency'>[];

  constructor(private readonly world: World) {
    const { lanes } = world.scenario;
    this.last = [
      ...count(lanes).map((lane) => ({ runId: idOn(lane, lanes) })),
      ...keysOf(world.scenario).map((key) => ({ runId: lastOf(key), concurrency: { key, policy: 'queue' } as const })),
    ];
    world.checks.onFact = (record) => this.heard(record);
  }

  begin(): void {
    const { schedule, scenario } = this.world;
    for (const order of scenario.runs) {
      for (let copy = 0; copy < order.copies; copy += 1) {
        schedule.after(order.at + copy * 700, () => this.submit(order));
        for (const ask of order.asks) schedule.after(ask.at + copy * 700, () => this.ask(order, ask));
      }
    }
    for (const bulk of scenario.bulks) schedule.after(bulk.at, () => this.cancelAll(bulk));
  }

  /** Every run has ended and nothing of it is open; what nobody can settle any more is not waited for. */
  isDone(): boolean {
    const { scenario, schedule, checks } = this.world;
    if (checks.unanswered().length > 0) return false;
    const hasComeOrNot = scenario.runs.every(
      ({ runId }) => checks.history.runKeys.has(runId) || checks.isRefused(runId),
    );
    return (
      hasComeOrNot &&
      [...checks.history.runKeys.keys()].every((runId) => {
        const ended = this.endedAt.get(runId);
        if (ended === undefined) return false;
        return checks.runOf(runId)?.status === 'ended' || schedule.now > ended + DOUBTS_LIVE_MS;
      })
    );
  }

  /** One more run on each lane: who leads it without knowing that somebody else has taken it learns so now. */
  submitLast(): void {
    const program = planOf(step('last', 'pure'));
    for (const order of this.last) this.submit({ ...order, program, deadlineMs: LAST_MS, team: 'last' });
  }

  get isLastDone(): boolean {
    return this.last.every(({ runId }) => this.endedAt.has(runId));
  }

  private submit(order: Omit<RunOrder, 'at' | 'asks' | 'copies'>): void {
    const { runId, program, deadlineMs, team, concurrency, generation, validMs } = order;
    const data = {
      requestId: `submit ${runId}`,
      runId,
      program,
      input: {},
      deadlineMs,
      labels: { team },
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(generation === undefined ? {} : { generation }),
      ...(validMs === undefined ? {} : { validUntil: this.validUntil(runId, validMs) }),
    };
    this.send({ type: 'SubmitRun', data });
  }

  /** Of the first copy: a submission that says another time is another one. */
  private validUntil(runId: string, validMs: number): number {
    const at = this.world.scenario.runs.find((order) => order.runId === runId)?.at ?? 0;
    return EPOCH + at + validMs;
  }

  private ask({ runId }: RunOrder, { what, withinMs, mode }: Ask): void {
    const data = { requestId: `${what} ${runId}`, runId };
    if (what === 'pause') return this.send({ type: 'PauseRun', data });
    if (what === 'resume') return this.send({ type: 'ResumeRun', data });
    if (what === 'kill') return this.send({ type: 'KillRun', data });
    this.send({ type: 'CancelRun', data: { ...data, withinMs, mode } });
  }

  private cancelAll({ team, withinMs }: Bulk): void {
    for (const lane of count(this.world.scenario.lanes)) {
      this.send({ type: 'CancelRuns', data: { requestId: bulkId(team, lane), lane, labels: { team }, withinMs } });
    }
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
        this.send({ type: 'AnswerEscalation', data: { requestId, runId, escalation, choice } }),
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
    this.send({ type: 'AnswerEscalation', data: { requestId, runId, escalation, choice, lookedAt, ...result } });
  }

  /** What there is to see of a step now. */
  private look(place: string): View {
    const { checks, office, schedule } = this.world;
    const slash = place.indexOf('/');
    const key = idempotencyKey(checks.runKeyOf(place.slice(0, slash)), place.slice(slash + 1));
    return { entry: office.entries.get(key)?.[0], lookedAt: Math.round(EPOCH + schedule.now) };
  }

  private send(request: Pick<Request, 'type' | 'data'>): void {
    const { cluster, names, scenario, schedule, trace } = this.world;
    const time = new Date(EPOCH + schedule.now).toISOString();
    const { requestId } = request.data;
    trace.note(`asked: ${requestId}${'choice' in request.data ? ` ${request.data.choice}` : ''}`);
    const value = encode({
      ...request,
      version: 1,
      id: requestId,
      source: 'client',
      subject: homeOf(request),
      time,
      principal: null,
    });
    cluster.partition(names.requests, laneOfRequest(request, scenario.lanes)).append([{ key: homeOf(request), value }]);
  }
}

const LAST_MS = 60_000;

const idOn = (lane: number, lanes: number): string => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `last-${index}`);
  return ids.find((id) => laneOf(id, lanes) === lane) ?? '';
};

/** How long the doubts of an ended run are waited for, ms. */
const DOUBTS_LIVE_MS = 15_000;
