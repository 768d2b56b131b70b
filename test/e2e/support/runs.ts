import { randomBytes } from 'node:crypto';
import type { HistoryRecord, RunEventData, RunEventType } from '@holdfast/events';
import { hasEffect, laneOf } from '@holdfast/events';
import type { Json, Plan } from '@holdfast/programs';
import type { Answer, Client, Submission } from '@holdfast/sdk';

export type Fact<T extends RunEventType> = { readonly seq: number; readonly data: RunEventData<T> };
type End = RunEventData<'RunEnded'>;

const LONG_MS = 100_000;

/** Runs as clients see them: submitted, watched and read over the public topics alone. */
export class Runs {
  constructor(
    private readonly client: Client,
    private readonly where: () => string,
  ) {}

  /** A run id that nobody else uses, on the lane that is asked for. */
  async id(name: string, lane?: number): Promise<string> {
    const lanes = await this.client.lanes();
    for (;;) {
      const id = `${name}-${randomBytes(4).toString('hex')}`;
      if (lane === undefined || laneOf(id, lanes) === lane) return id;
    }
  }

  /** As many such ids, on one lane after the other or all on the lane that is asked for. */
  async ids(name: string, count: number, lane?: number): Promise<readonly string[]> {
    const lanes = await this.client.lanes();
    return Promise.all(Array.from({ length: count }, (_, index) => this.id(name, lane ?? index % lanes)));
  }

  /** Submits a run; its input holds its own id beside what is given. */
  async submit(
    runId: string,
    program: Plan,
    more: Partial<Omit<Submission, 'input'>> & { readonly input?: object } = {},
  ) {
    const { input = {}, ...rest } = more;
    return this.client.submit({
      runId,
      program,
      input: { run: runId, ...input } as Json,
      answerWithinMs: LONG_MS,
      ...rest,
    });
  }

  /** Submits a run under a new id and waits for its end. */
  async run(
    name: string,
    program: Plan,
  ): Promise<{ readonly runId: string; readonly end: End; readonly history: History }> {
    const runId = await this.id(name);
    await this.submit(runId, program);
    const end = await this.ended(runId);
    return { runId, end, history: await this.history(runId) };
  }

  /** Waits for a fact of the run that has been written or will be. */
  async seen<T extends RunEventType>(
    runId: string,
    type: T,
    matches: (data: RunEventData<T>) => boolean = () => true,
    msMax = LONG_MS,
  ): Promise<Fact<T>> {
    const seen: string[] = [];
    const signal = AbortSignal.timeout(msMax);
    for await (const { record } of this.client.watch(runId, { beyondEnd: true, signal })) {
      seen.push(describe(record));
      if (record.event.type !== type) continue;
      const data = record.event.data as RunEventData<T>;
      if (matches(data)) return { seq: record.lane.seq, data };
    }
    throw new Error(
      `run ${runId}: no ${type} within ${msMax} ms; ${this.where()}; seen were\n  ${seen.join('\n  ') || 'none'}`,
    );
  }

  async ended(runId: string, msMax = LONG_MS): Promise<End> {
    return (await this.seen(runId, 'RunEnded', () => true, msMax)).data;
  }

  /** The whole history of a run, read again from its first record with every hash compared. */
  async history(runId: string): Promise<History> {
    const { records, checked } = await this.client.readRun(runId);
    return new History(records, checked);
  }

  answer(runId: string, answer: Parameters<Client['answer']>[1]): Promise<Answer> {
    return this.client.answer(runId, { answerWithinMs: LONG_MS, ...answer });
  }

  cancel(runId: string, options: Parameters<Client['cancel']>[1] = {}): Promise<Answer> {
    return this.client.cancel(runId, { answerWithinMs: LONG_MS, ...options });
  }
}

const describe = ({ event, lane }: HistoryRecord): string =>
  `${lane.epoch}/${lane.seq} ${event.type} ${JSON.stringify(event.data).slice(0, 300)}`;

/** The facts of one run in order. */
export class History {
  constructor(
    readonly records: readonly HistoryRecord[],
    readonly checked: { readonly valid: number; readonly void: number; readonly repeated: number },
  ) {}

  all<T extends RunEventType>(type: T, stepId?: string): readonly Fact<T>[] {
    return this.records
      .filter(({ event }) => event.type === type)
      .map(({ event, lane }) => ({ seq: lane.seq, data: event.data as RunEventData<T> }))
      .filter(({ data }) => stepId === undefined || (data as { stepId?: string }).stepId === stepId);
  }

  /** The types of a run's facts in order, of one step where it is named. */
  types(stepId?: string): readonly string[] {
    return this.records
      .filter(({ event }) => stepId === undefined || (event.data as { stepId?: string }).stepId === stepId)
      .map(({ event }) => event.type);
  }

  /** Effects that were scheduled although the run was held by a doubt: must be none. */
  scheduledWhileHeld(): readonly Fact<'StepScheduled'>[] {
    const effects = this.all('StepScheduled').filter(({ data }) => hasEffect(data.policy) && !data.settling);
    return this.all('DoubtOpened')
      .filter(({ data }) => data.holds === 'run')
      .flatMap((doubt) => {
        const until = this.settledSeq(doubt);
        return effects.filter(({ seq }) => seq > doubt.seq && seq < until);
      });
  }

  private settledSeq(doubt: Fact<'DoubtOpened'>): number {
    const settled = this.all('DoubtSettled', doubt.data.stepId).find(({ seq }) => seq > doubt.seq);
    const done = this.all('StepSucceeded', doubt.data.stepId).find(({ seq }) => seq > doubt.seq);
    return Math.min(settled?.seq ?? Infinity, done?.seq ?? Infinity);
  }
}
