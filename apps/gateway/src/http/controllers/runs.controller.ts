import { routes, type AnswerOf, type AskedOf, type BudgetsView, type Counters, type RunDetail } from '@holdfast/api';
import { explainRun, type Explanation } from '@holdfast/explain';
import type { Json } from '@holdfast/programs';
import { describeEvent } from '@holdfast/words';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { eventOf, readEvents, readEventsAt, readHistory } from '../../store/read-events.js';
import { readBudgets } from '../../store/read-cluster.js';
import { countAll, readRun, readRuns } from '../../store/read-runs.js';
import type { RunRow } from '../../store/tables.js';
import { invalid } from '../asked.js';
import { Briefly } from '../briefly.js';
import { PARTS, type HttpParts } from '../parts.js';
import { page, positionOf } from '../cursor.js';
import { missing, noRun } from '../problems.js';
import { Asked, Serves } from '../serves.js';
import { detailView, historyView, runView, tenantView } from '../views/run.views.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;
type Said<R extends keyof typeof routes> = AnswerOf<(typeof routes)[R]>;

const CHILDREN_MAX = 1_000;
/** Every page that is open asks for the counts, and they go through all runs. */
const COUNTED_MS = 500;
const afterRun = z.tuple([z.number(), z.string()]);
const afterEvent = z.tuple([z.number()]);

/** What can be read about runs. */
@Controller()
export class RunsController {
  private readonly counted: Briefly<Counters>;

  constructor(@Inject(PARTS) private readonly parts: HttpParts) {
    this.counted = new Briefly(() => countAll(parts.database), parts.clock, COUNTED_MS);
  }

  @Serves(routes.listRuns)
  async list(@Asked() { query }: Of<'listRuns'>): Promise<Said<'listRuns'>> {
    const { cursor, limit, label, ...filters } = query;
    const of = { list: 'runs', filters: query };
    const after = positionOf(of, cursor, afterRun);
    const rows = await readRuns(this.parts.database, { ...filters, labels: labelsOf(label) }, after, limit + 1);
    return page(of, rows, limit, { view: runView, position: ({ acceptedAt, runId }) => [acceptedAt, runId] });
  }

  @Serves(routes.getCounters)
  counters(): Promise<Counters> {
    return this.counted.get();
  }

  @Serves(routes.getRun)
  async get(@Asked() { params }: Of<'getRun'>): Promise<RunDetail> {
    const row = await this.row(params.runId);
    const { lane, acceptedSeq, endedSeq, reportSeq } = row;
    const seqs = [acceptedSeq, endedSeq, reportSeq].filter((seq) => seq !== null);
    const [events, children] = await Promise.all([
      readEventsAt(this.parts.database, lane, [...new Set(seqs)]),
      this.childrenOf(row),
    ]);
    const at = (seq: number | null) => events.find((event) => event.seq === seq);
    return detailView(row, { accepted: at(acceptedSeq), ended: at(endedSeq), report: at(reportSeq) }, children);
  }

  @Serves(routes.getHistory)
  async history(@Asked() { params, query }: Of<'getHistory'>): Promise<Said<'getHistory'>> {
    const { runId } = params;
    const { cursor, limit, order, ...filters } = query;
    const of = { list: `history ${runId}`, filters: query };
    const [after = null] = positionOf(of, cursor, afterEvent) ?? [];
    await this.row(runId);
    const rows = await readEvents(this.parts.database, { runId, filters, order, after, limit: limit + 1 });
    return page(of, rows, limit, { view: historyView, position: ({ seq }) => [seq] });
  }

  @Serves(routes.getState)
  async state(@Asked() { params, query }: Of<'getState'>): Promise<Said<'getState'>> {
    const { runId } = params;
    const row = await this.row(runId);
    const found = await this.parts.states.at(runId, query.seq);
    if (found === null) {
      throw missing('unknown_event', `Run ${runId} was accepted at ${row.acceptedSeq}: before that it was not there.`);
    }
    const { seq, at } = found.row;
    return { runId, seq, at, state: found.run as unknown as Json, words: describeEvent(eventOf(found.row)) };
  }

  @Serves(routes.explainRun)
  async explain(@Asked() { params }: Of<'explainRun'>): Promise<Explanation> {
    const { runId } = params;
    const records = await readHistory(this.parts.database, runId);
    if (records === null) throw noRun(runId);
    const { graceMs, skewMs } = this.parts.config;
    return explainRun(records, this.parts.clock.now(), { graceMs, skewMs });
  }

  @Serves(routes.getBudgets)
  async budgets(@Asked() { params }: Of<'getBudgets'>): Promise<BudgetsView> {
    const { budgets } = await this.row(params.runId);
    return { owner: params.runId, gauges: budgets as unknown as BudgetsView['gauges'] };
  }

  @Serves(routes.getTenantBudget)
  async tenantBudget(@Asked() { params }: Of<'getTenantBudget'>): Promise<BudgetsView> {
    const rows = await readBudgets(this.parts.database, params.tenant);
    if (rows.length === 0) throw missing('unknown_tenant', `Nobody has said what tenant ${params.tenant} may use.`);
    return tenantView(params.tenant, rows);
  }

  private async row(runId: string): Promise<RunRow> {
    const row = await readRun(this.parts.database, runId);
    if (row === null) throw noRun(runId);
    return row;
  }

  private async childrenOf({ runId, acceptedSeq }: RunRow): Promise<readonly string[]> {
    const filters = { type: ['ChildStarted'] };
    const asked = { runId, filters, order: 'asc', after: acceptedSeq, limit: CHILDREN_MAX } as const;
    const begun = await readEvents(this.parts.database, asked);
    return begun.map(({ data }) => (data as { readonly childRunId: string }).childRunId);
  }
}

const labelsOf = (given: readonly string[] | undefined): Readonly<Record<string, string>> | undefined => {
  if (given === undefined) return undefined;
  return Object.fromEntries(
    given.map((label) => {
      const cut = label.indexOf('=');
      if (cut < 1) throw invalid([{ at: 'query.label', message: `must be key=value, but is ${label}` }]);
      return [label.slice(0, cut), label.slice(cut + 1)];
    }),
  );
};
