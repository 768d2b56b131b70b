import { routes, type AskedOf } from '@holdfast/api';
import { Controller, Inject, Req, Res, type OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readLanes } from '../../store/read-cluster.js';
import { readRun } from '../../store/read-runs.js';
import { numberOf, positionsOf, type LanePositions } from '../live/position.js';
import { allReader, runReader, type LiveReader } from '../live/reader.js';
import { stream, type StreamTimes } from '../live/stream.js';
import { PARTS, type HttpParts } from '../parts.js';
import { noRun, unavailable } from '../problems.js';
import { Asked, Serves } from '../serves.js';

type Of<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;

const TIMES: StreamTimes = { beatMs: 15_000, slowMs: 15_000 };
/** Streams at the same time: each holds a connection, and reads when something happens. */
const STREAMS_MAX = 500;

/** What happens, as it happens. */
@Controller()
export class LiveController implements OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private open = 0;

  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.watchRun)
  async run(
    @Asked() { params, query }: Of<'watchRun'>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { runId } = params;
    const last = request.header('last-event-id');
    const row = await readRun(this.parts.database, runId);
    if (row === null) throw noRun(runId);
    const begin = query.from === 'start' ? -1 : row.seq;
    const after = last === undefined ? begin : numberOf(last);
    await this.stream(runReader(this.parts.database, runId, row.lane, after), response);
  }

  @Serves(routes.watchAll)
  async all(@Asked() { query }: Of<'watchAll'>, @Req() request: Request, @Res() response: Response): Promise<void> {
    const last = request.header('last-event-id');
    const from = last === undefined ? await this.begin(query.from) : positionsOf(last, this.parts.config.lanes);
    await this.stream(allReader(this.parts.database, this.parts.bell, from), response);
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  private async begin(from: 'start' | 'now'): Promise<LanePositions> {
    const positions = Array.from({ length: this.parts.config.lanes }, () => -1);
    if (from === 'start') return positions;
    for (const { lane, seq } of await readLanes(this.parts.database)) positions[lane] = seq;
    return positions;
  }

  private async stream(reader: LiveReader, response: Response): Promise<void> {
    if (this.open >= STREAMS_MAX) {
      const advice = 'Close some, or ask another gateway.';
      throw unavailable('too_many_streams', `${STREAMS_MAX} streams are open here.`, { advice });
    }
    this.open += 1;
    try {
      await stream(
        { bell: this.parts.bell, timer: this.parts.timer, times: TIMES },
        response,
        reader,
        this.stopping.signal,
      );
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'a live stream failed');
    } finally {
      this.open -= 1;
    }
  }
}
