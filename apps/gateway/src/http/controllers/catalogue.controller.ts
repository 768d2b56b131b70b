import { routes, type AnswerOf, type AskedOf, type ToolView } from '@holdfast/api';
import { readCatalogue, type Catalogue } from '@holdfast/service';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { readExecutors } from '../../store/read-cluster.js';
import { Briefly } from '../briefly.js';
import { page, positionOf } from '../cursor.js';
import { PARTS, type HttpParts } from '../parts.js';
import { Asked, Serves } from '../serves.js';
import { executorView } from '../views/cluster.views.js';

/** The whole topic is read for it. */
const KNOWN_MS = 2_000;
const afterTool = z.tuple([z.string()]);

/** What steps may call. */
@Controller()
export class CatalogueController {
  private readonly known: Briefly<Catalogue>;

  constructor(@Inject(PARTS) private readonly parts: HttpParts) {
    this.known = new Briefly(() => readCatalogue(parts.log, parts.names), parts.clock, KNOWN_MS);
  }

  @Serves(routes.listTools)
  async list(@Asked() { query }: AskedOf<typeof routes.listTools>): Promise<AnswerOf<typeof routes.listTools>> {
    const { cursor, limit, tool, text } = query;
    const of = { list: 'tools', filters: query };
    const [after = ''] = positionOf(of, cursor, afterTool) ?? [];
    const all = await this.all();
    const wanted = all.filter(
      (one) => one.tool > after && (tool === undefined || one.tool === tool) && speaksOf(one, text),
    );
    return page(of, wanted.slice(0, limit + 1), limit, { view: (one) => one, position: (one) => [one.tool] });
  }

  private async all(): Promise<readonly ToolView[]> {
    const [catalogue, rows] = await Promise.all([this.known.get(), readExecutors(this.parts.database)]);
    const now = this.parts.clock.now();
    const alive = rows.map((row) => executorView(row, now, this.parts.config.leaseMs)).filter((one) => one.alive);
    const served = new Set(alive.flatMap(({ tools }) => tools));
    return catalogue
      .all()
      .map(({ hash: _hash, verify: _verify, spawns: _spawns, ...entry }) => {
        const tool = `${entry.name}@${entry.version}`;
        return { ...entry, tool, served: served.has(tool) };
      })
      .toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
  }
}

const speaksOf = ({ tool, description = '' }: ToolView, text: string | undefined): boolean =>
  text === undefined || `${tool}\n${description}`.toLowerCase().includes(text.toLowerCase());
