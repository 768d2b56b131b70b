import { routes, type AnswerOf, type AskedOf, type DeadLetterView, type SentAgain } from '@holdfast/api';
import { sendAgain } from '@holdfast/sdk';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { readDeadLetter, readDeadLetters, readResends } from '../../store/read-cluster.js';
import type { DeadLetterRow } from '../../store/tables.js';
import type { Asker } from '../asking.js';
import { PARTS, type HttpParts } from '../parts.js';
import { page, positionOf } from '../cursor.js';
import { missing, ProblemError } from '../problems.js';
import { problemOf, viewOf } from '../refusals.js';
import { Asked, Serves, Who } from '../serves.js';
import { deadLetterId, deadLetterView, valueView } from '../views/cluster.views.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;
type Said<R extends keyof typeof routes> = AnswerOf<(typeof routes)[R]>;

type Place = Of<'getDeadLetter'>['params'];
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
    const id = deadLetterId(params);
    const { log, names: topics, clock, ids, client, logger } = this.parts;
    const { principal: by, key } = who;
    this.mustBeOne(params);
    const before = await readResends(this.parts.database, [params]);
    const ports = { log, topics, clock, client, ids: key === null ? ids : { next: () => key } };
    const sent = await sendAgain(ports, params, by, body.waitMs).catch((error: unknown) => {
      throw problemOf(error, id) ?? error;
    });
    if (sent.outcome === 'refused') throw refused(id, sent);
    logger.info({ deadLetter: id, by, topic: sent.topic }, 'a dead letter is sent again');
    const { topic, partition, offset, answer } = sent;
    const said = answer === null ? null : viewOf(answer);
    return { id, topic, partition, offset, sentAgain: before.length + 1, sentAgainBy: by, answer: said };
  }

  /** No place beyond the last partition is one, and some numbers are none for the database. */
  private mustBeOne(place: Place): void {
    if (place.partition >= this.parts.config.lanes) throw unknownLetter(deadLetterId(place));
  }

  private async row(place: Place): Promise<DeadLetterRow> {
    this.mustBeOne(place);
    const row = await readDeadLetter(this.parts.database, place.partition, place.offset);
    if (row === null) throw unknownLetter(deadLetterId(place));
    return row;
  }
}

const unknownLetter = (id: string): ProblemError => missing('unknown_dead_letter', `There is no dead letter ${id}.`);

const refused = (id: string, { code, message }: { readonly code: string; readonly message: string }): ProblemError =>
  code === 'unknown_letter'
    ? unknownLetter(id)
    : new ProblemError(409, { code, detail: `Dead letter ${id} is not sent again: ${message}.` });
