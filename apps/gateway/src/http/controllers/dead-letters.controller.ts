import { routes, type AnswerOf, type AskedOf, type DeadLetterView, type SentAgain } from '@holdfast/api';
import { resentLetter } from '@holdfast/contracts';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { readDeadLetter, readDeadLetters, readResends } from '../../store/read-cluster.js';
import type { DeadLetterRow } from '../../store/tables.js';
import type { Asker } from '../asking.js';
import { PARTS, type HttpParts } from '../parts.js';
import { page, positionOf } from '../cursor.js';
import { missing, ProblemError, unavailable } from '../problems.js';
import { problemOf, viewOf } from '../refusals.js';
import { Asked, Serves, Who } from '../serves.js';
import { deadLetterId, deadLetterView, valueView } from '../views/cluster.views.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;
type Said<R extends keyof typeof routes> = AnswerOf<(typeof routes)[R]>;

type Asking = Omit<Asker, 'body'>;

const afterLetter = z.tuple([z.number(), z.number(), z.number()]);

/** Records that nobody could read. */
@Controller()
export class DeadLettersController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.listDeadLetters)
  async list(@Asked() { query }: Of<'listDeadLetters'>): Promise<Said<'listDeadLetters'>> {
    const { cursor, limit, topic } = query;
    const of = { list: 'dead letters', filters: query };
    const rows = await readDeadLetters(this.parts.database, topic, positionOf(of, cursor, afterLetter), limit + 1);
    const resends = await readResends(this.parts.database, rows);
    return page(of, rows, limit, {
      view: (row) => deadLetterView(row, resends),
      position: ({ at, partition, offset }) => [at, partition, offset],
    });
  }

  @Serves(routes.getDeadLetter)
  async get(@Asked() { params }: Of<'getDeadLetter'>): Promise<DeadLetterView> {
    const row = await this.row(params);
    const shown = deadLetterView(row, await readResends(this.parts.database, [row]));
    return { ...shown, ...(row.value === null ? {} : { value: valueView(row.value) }) };
  }

  @Serves(routes.sendAgain)
  async sendAgain(@Asked() { params, body }: Of<'sendAgain'>, @Who() who: Asking): Promise<SentAgain> {
    const row = await this.row(params);
    this.mustBeSafe(row);
    await this.note(row, who);
    const { sourceTopic: topic, sourcePartition: partition, key, value } = row;
    const written = { lane: partition, key, value };
    try {
      const { offset, answer } = await this.parts.client.askAgain(written, { answerWithinMs: body.waitMs ?? 0 });
      const said = answer === null ? null : viewOf(answer);
      return { id: deadLetterId(row), topic, partition, offset, sentAgainBy: who.principal, answer: said };
    } catch (error) {
      throw problemOf(error, deadLetterId(row)) ?? error;
    }
  }

  private async row(place: Of<'getDeadLetter'>['params']): Promise<DeadLetterRow> {
    const row = await readDeadLetter(this.parts.database, place.partition, place.offset);
    if (row === null) throw missing('unknown_dead_letter', `There is no dead letter ${deadLetterId(place)}.`);
    return row;
  }

  /** Only requests carry an id by which a repeat is known. */
  private mustBeSafe({ sourceTopic }: DeadLetterRow): void {
    if (sourceTopic === this.parts.names.requests) return;
    throw new ProblemError(409, {
      code: 'not_safe',
      detail: `A record of ${sourceTopic} must not be written again: nobody there knows repeats of it.`,
      advice: `Only records of ${this.parts.names.requests} can be sent again.`,
    });
  }

  /** Who has done it is kept before it is done. */
  private async note(row: DeadLetterRow, { principal: by, key }: Asking): Promise<void> {
    const requestId = key ?? this.parts.ids.next();
    const note = resentLetter({ letter: row.offset, by, requestId, at: this.parts.clock.now() });
    const appended = await this.parts.log.append(this.parts.names.deadLetters, row.partition, [note]);
    if (appended.outcome !== 'appended') {
      throw unavailable('not_acknowledged', `${this.parts.names.deadLetters} does not answer: ${appended.detail}`);
    }
    this.parts.logger.info(
      { deadLetter: deadLetterId(row), by, topic: row.sourceTopic },
      'a dead letter is sent again',
    );
  }
}
