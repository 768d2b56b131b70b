import { routes, type AnswerOf, type AskedOf } from '@holdfast/api';
import { transcriptOf } from '@holdfast/explain';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { readHistory } from '../../store/read-events.js';
import { page, positionOf } from '../cursor.js';
import { PARTS, type HttpParts } from '../parts.js';
import { noRun } from '../problems.js';
import { Asked, Serves } from '../serves.js';
import { turnView } from '../views/turn.views.js';

const afterTurn = z.tuple([z.number()]);

/** What the agents of runs did. */
@Controller()
export class TurnsController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.listTurns)
  async list(@Asked() { params, query }: AskedOf<typeof routes.listTurns>): Promise<AnswerOf<typeof routes.listTurns>> {
    const { runId } = params;
    const { cursor, limit, agent } = query;
    const of = { list: `turns ${runId}`, filters: query };
    const [after = -1] = positionOf(of, cursor, afterTurn) ?? [];
    const records = await readHistory(this.parts.database, runId);
    if (records === null) throw noRun(runId);
    const turns = transcriptOf(records).filter(
      (turn) => turn.seq > after && (agent === undefined || turn.agent === agent),
    );
    return page(of, turns, limit, { view: turnView, position: ({ seq }) => [seq] });
  }
}
