import { routes, type AnswerOf, type AskedOf, type StepView } from '@holdfast/api';
import { argumentsIn } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { sha256 } from '@holdfast/sdk';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { readEventsAt, readLastEvent } from '../../store/read-events.js';
import { readRun } from '../../store/read-runs.js';
import { questionTime, readAttempts, readDoubts, readQuestions, readStep, readSteps } from '../../store/read-steps.js';
import type { StepRow } from '../../store/tables.js';
import { PARTS, type HttpParts } from '../parts.js';
import { page, positionOf } from '../cursor.js';
import { missing, noRun } from '../problems.js';
import { Asked, Serves } from '../serves.js';
import { attemptView, doubtView, questionView, stepView } from '../views/step.views.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;
type Said<R extends keyof typeof routes> = AnswerOf<(typeof routes)[R]>;

const afterSeq = z.tuple([z.number()]);
const afterTime = z.tuple([z.number(), z.string(), z.number()]);

/** What can be read about steps, their attempts and effects, doubts, and questions to people. */
@Controller()
export class StepsController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.listSteps)
  async list(@Asked() { params, query }: Of<'listSteps'>): Promise<Said<'listSteps'>> {
    const { runId } = params;
    const { cursor, limit, ...filters } = query;
    const of = { list: `steps ${runId}`, filters: query };
    const [after = null] = positionOf(of, cursor, afterSeq) ?? [];
    await this.mustExist(runId);
    const rows = await readSteps(this.parts.database, { runId, filters }, after, limit + 1);
    return page(of, rows, limit, { view: stepView, position: ({ firstSeq }) => [firstSeq] });
  }

  @Serves(routes.getStep)
  async get(@Asked() { params }: Of<'getStep'>): Promise<StepView> {
    const { runId, stepId } = params;
    await this.mustExist(runId);
    const row = await readStep(this.parts.database, runId, stepId);
    if (row === null) throw missing('unknown_step', `Run ${runId} has not scheduled a step ${stepId}.`);
    const [args, result] = await Promise.all([this.argsOf(row), this.resultOf(row)]);
    return { ...stepView(row), ...args, ...result };
  }

  @Serves(routes.listAttempts)
  async attempts(@Asked() { params, query }: Of<'listAttempts'>): Promise<Said<'listAttempts'>> {
    const { runId } = params;
    const { cursor, limit, step } = query;
    const of = { list: `attempts ${runId}`, filters: query };
    const [after = null] = positionOf(of, cursor, afterSeq) ?? [];
    await this.mustExist(runId);
    const rows = await readAttempts(this.parts.database, { runId, filters: { step } }, after, limit + 1);
    return page(of, rows, limit, { view: attemptView, position: ({ firstSeq }) => [firstSeq] });
  }

  @Serves(routes.listEffects)
  async effects(@Asked() { params, query }: Of<'listEffects'>): Promise<Said<'listEffects'>> {
    const { runId } = params;
    const { cursor, limit, effect = 'any' } = query;
    const of = { list: `effects ${runId}`, filters: query };
    const [after = null] = positionOf(of, cursor, afterSeq) ?? [];
    await this.mustExist(runId);
    const rows = await readAttempts(this.parts.database, { runId, filters: { effects: effect } }, after, limit + 1);
    return page(of, rows, limit, { view: attemptView, position: ({ firstSeq }) => [firstSeq] });
  }

  @Serves(routes.listDoubts)
  async doubts(@Asked() { query }: Of<'listDoubts'>): Promise<Said<'listDoubts'>> {
    const { cursor, limit, ...filters } = query;
    const of = { list: 'doubts', filters: query };
    const rows = await readDoubts(this.parts.database, filters, positionOf(of, cursor, afterTime), limit + 1);
    return page(of, rows, limit, {
      view: doubtView,
      position: ({ openedAt, runId, seq }) => [openedAt, runId, seq],
    });
  }

  @Serves(routes.listQuestions)
  async questions(@Asked() { query }: Of<'listQuestions'>): Promise<Said<'listQuestions'>> {
    const { cursor, limit, ...filters } = query;
    const of = { list: 'questions', filters: query };
    const rows = await readQuestions(this.parts.database, filters, positionOf(of, cursor, afterTime), limit + 1);
    return page(of, rows, limit, {
      view: questionView,
      position: (row) => [questionTime(filters, row), row.runId, row.seq],
    });
  }

  private async mustExist(runId: string): Promise<void> {
    if ((await readRun(this.parts.database, runId)) === null) throw noRun(runId);
  }

  /** What it was called with last, out of the run as it was just after that was decided. */
  private async argsOf({ runId, stepId }: StepRow): Promise<{ readonly args?: Json }> {
    const scheduled = await readLastEvent(this.parts.database, { runId, stepId, type: 'StepScheduled' });
    if (scheduled === null) return {};
    const { attempt } = scheduled.data as { readonly attempt: number };
    const state = await this.parts.states.at(runId, scheduled.seq);
    const rebuilt = argumentsIn(state?.run, { runId, stepId, attempt }, sha256);
    return 'args' in rebuilt ? { args: rebuilt.args } : {};
  }

  private async resultOf({ lane, endedSeq }: StepRow): Promise<{ readonly result?: Json }> {
    if (endedSeq === null) return {};
    const [ended] = await readEventsAt(this.parts.database, lane, [endedSeq]);
    const { result, omitted } = (ended?.data ?? {}) as { readonly result?: Json; readonly omitted?: Json };
    const known = result ?? omitted;
    return known === undefined ? {} : { result: known };
  }
}
