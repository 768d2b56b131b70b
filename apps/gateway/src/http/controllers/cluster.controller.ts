import { routes, type AnswerOf, type LaneView } from '@holdfast/api';
import { Controller, Inject } from '@nestjs/common';
import { readCoordinators, readExecutors, readLanes, readProjections } from '../../store/read-cluster.js';
import type { LaneRow, MemberRow, ProjectionRow } from '../../store/tables.js';
import { PARTS, type HttpParts } from '../parts.js';
import { openApi } from '../openapi.js';
import { Reply } from '../reply.js';
import { Serves } from '../serves.js';
import { VERSION } from '../version.js';
import { executorView } from '../views/cluster.views.js';
import { laneView } from '../views/lane.views.js';

type Said<R extends keyof typeof routes> = AnswerOf<(typeof routes)[R]>;

/** What is behind the runs. */
@Controller()
export class ClusterController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.listExecutors)
  async executors(): Promise<Said<'listExecutors'>> {
    const rows = await readExecutors(this.parts.database);
    const now = this.parts.clock.now();
    return { items: rows.map((row) => executorView(row, now, this.parts.config.leaseMs)) };
  }

  @Serves(routes.listLanes)
  async lanes(): Promise<Said<'listLanes'>> {
    const [rows, coordinators, projections] = await Promise.all([
      readLanes(this.parts.database),
      readCoordinators(this.parts.database),
      readProjections(this.parts.database),
    ]);
    const all = Array.from({ length: this.parts.config.lanes }, (_, lane) => lane);
    return { items: await Promise.all(all.map((lane) => this.lane(lane, { rows, coordinators, projections }))) };
  }

  @Serves(routes.listProjections)
  async projections(): Promise<Said<'listProjections'>> {
    const rows = await readProjections(this.parts.database);
    const items = await Promise.all(
      rows.map(async ({ source, partition, nextOffset, updatedAt }) => {
        const { end } = await this.parts.log.bounds(source, partition);
        const lagRecords = Math.max(0, end - nextOffset);
        return { source, partition, nextOffset, end, lagRecords, updatedAt };
      }),
    );
    return { items, shadow: this.parts.projections.shadow() };
  }

  @Serves(routes.rebuildProjections)
  async rebuild(): Promise<Said<'rebuildProjections'>> {
    await this.parts.projections.rebuild();
    return { outcome: 'begun', lanes: this.parts.config.lanes };
  }

  @Serves(routes.getHealth)
  getHealth(): Reply<Said<'getHealth'>> {
    const { ready, reasons, checks } = this.parts.health.report();
    const { namespace, lanes } = this.parts.config;
    const details = checks as unknown as Said<'getHealth'>['details'];
    return new Reply(ready ? 200 : 503, { ready, reasons: [...reasons], version: VERSION, namespace, lanes, details });
  }

  @Serves(routes.getOpenApi)
  document(): Said<'getOpenApi'> {
    return openApi(VERSION);
  }

  private async lane(lane: number, known: Known): Promise<LaneView> {
    const { history, requests } = this.parts.names;
    const row = known.rows.find((one) => one.lane === lane) ?? null;
    const [{ end }, asked] = await Promise.all([
      this.parts.log.bounds(history, lane),
      this.parts.log.bounds(requests, lane),
    ]);
    const position = known.projections.find(({ source, partition }) => source === history && partition === lane);
    return laneView(
      { lane, row, projected: position?.nextOffset ?? 0, owner: ownerOf(known.coordinators, row) },
      {
        end,
        requestsEnd: asked.end,
        requestsTopic: requests,
        now: this.parts.clock.now(),
        broken: this.parts.projections.broken(lane),
      },
    );
  }
}

type Known = {
  readonly rows: readonly LaneRow[];
  readonly coordinators: readonly MemberRow[];
  readonly projections: readonly ProjectionRow[];
};

const ownerOf = (coordinators: readonly MemberRow[], row: LaneRow | null): MemberRow | null =>
  coordinators.find(({ member }) => member === row?.owner) ?? null;
