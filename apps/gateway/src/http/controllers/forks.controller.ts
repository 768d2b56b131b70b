import { FORK_NAMED_MAX, routes, type AnswerView, type AskedOf, type ForkPlan } from '@holdfast/api';
import { planFork, type ForkPlan as Planned, type ForkStep, type HistoryRecord } from '@holdfast/events';
import { forkSubmission } from '@holdfast/sdk';
import { Controller, Inject } from '@nestjs/common';
import { readHistory } from '../../store/read-events.js';
import { askFor, said, type Asker } from '../asking.js';
import { PARTS, type HttpParts } from '../parts.js';
import { noRun } from '../problems.js';
import type { Reply } from '../reply.js';
import { Asked, Serves, Who } from '../serves.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;

/** New runs that take over what old ones have done. */
@Controller()
export class ForksController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.planFork)
  async plan(@Asked() { params, query }: Of<'planFork'>): Promise<ForkPlan> {
    const records = await this.records(params.runId);
    const { from = null } = query;
    const asking = planFork(records, { from, repeat: [] }).again.filter(({ repeat }) => repeat === 'ask');
    // With everything named: what is refused then cannot be done at all.
    return planView(planFork(records, { from, repeat: asking.map(({ stepId }) => stepId) }));
  }

  @Serves(routes.forkRun)
  async fork(@Asked() { params, body }: Of<'forkRun'>, @Who() who: Omit<Asker, 'body'>): Promise<Reply<AnswerView>> {
    const records = await this.records(params.runId);
    const { from = null, repeat = [], ...asked } = said(body);
    return askFor(this.parts.ids, { body, ...who }, body.runId, async (asking) =>
      this.parts.client.submit(forkSubmission(params.runId, records, { ...asked, from, repeat, ...asking })),
    );
  }

  private async records(runId: string): Promise<readonly HistoryRecord[]> {
    const records = await readHistory(this.parts.database, runId);
    if (records === null) throw noRun(runId);
    return records;
  }
}

const planView = ({ from, kept, again, refused }: Planned): ForkPlan => ({
  from,
  kept: kept.slice(0, FORK_NAMED_MAX),
  keptTotal: kept.length,
  again: again.toSorted(askingFirst).slice(0, FORK_NAMED_MAX),
  againTotal: again.length,
  refused,
});

const askingFirst = (a: ForkStep, b: ForkStep): number => Number(b.repeat === 'ask') - Number(a.repeat === 'ask');
