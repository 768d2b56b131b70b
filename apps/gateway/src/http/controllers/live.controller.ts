import { routes, type AskedOf } from '@holdfast/api';
import { laneOf } from '@holdfast/events';
import { Controller, Inject, Req, Res, type OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readLanes } from '../../store/read-cluster.js';
import { readRun } from '../../store/read-runs.js';
import type { RunRow } from '../../store/tables.js';
import { whileSignedIn } from '../auth/while-signed-in.js';
import { catchingUp, isBehind, lagsOf } from '../live/lag.js';
import { numberOf, positionsOf, type LanePositions } from '../live/position.js';
import { allReader, runReader, type LiveReader } from '../live/reader.js';
import { stream, type StreamTimes } from '../live/stream.js';
import { PARTS, type HttpParts } from '../parts.js';
import { noRun, unavailable, type ProblemError } from '../problems.js';
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
    if (row === null) throw await this.absent(runId, last);
    const after = last === undefined ? await this.beginOf(row, query.from) : numberOf(last);
    await this.stream(runReader(this.parts.database, runId, row.lane, after), request, response);
  }

  @Serves(routes.watchAll)
  async all(@Asked() { query }: Of<'watchAll'>, @Req() request: Request, @Res() response: Response): Promise<void> {
    const last = request.header('last-event-id');
    const from = last === undefined ? await this.begin(query.from) : positionsOf(last, this.parts.config.lanes);
    await this.stream(allReader(this.parts.database, this.parts.bell, from), request, response);
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** A run that was heard of is not gone while its lane is projected anew. */
  private async absent(runId: string, last: string | undefined): Promise<ProblemError> {
    const lags = await lagsOf(this.parts, [laneOf(runId, this.parts.config.lanes)]);
    const lag = lags.find((one) => isBehind(one) || (last !== undefined && one.records > 0));
    return lag === undefined ? noRun(runId) : catchingUp(lag);
  }

  private async beginOf({ lane, seq }: RunRow, from: 'start' | 'now'): Promise<number> {
    if (from === 'start') return -1;
    await this.refuseOld([lane]);
    return seq;
  }

  /** There is no `now` in a lane that is far behind: its old events would be told as new ones. */
  private async refuseOld(lanes: readonly number[]): Promise<void> {
    const behind = (await lagsOf(this.parts, lanes)).find(isBehind);
    if (behind !== undefined) throw catchingUp(behind);
  }

  private async begin(from: 'start' | 'now'): Promise<LanePositions> {
    const positions = Array.from({ length: this.parts.config.lanes }, () => -1);
    if (from === 'start') return positions;
    await this.refuseOld([...positions.keys()]);
    for (const { lane, seq } of await readLanes(this.parts.database)) positions[lane] = seq;
    return positions;
  }

  private async stream(reader: LiveReader, request: Request, response: Response): Promise<void> {
    if (this.open >= STREAMS_MAX) {
      const advice = 'Close some, or ask another gateway.';
      throw unavailable('too_many_streams', `${STREAMS_MAX} streams are open here.`, { advice });
    }
    this.open += 1;
    const allowed = whileSignedIn(this.parts.access.authenticator, this.parts.timer, request);
    try {
      await stream(
        { bell: this.parts.bell, timer: this.parts.timer, times: TIMES },
        response,
        reader,
        AbortSignal.any([this.stopping.signal, allowed.signal]),
      );
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'a live stream failed');
    } finally {
      allowed.end();
      this.open -= 1;
    }
  }
}
