import { PAGE_MAX, routes, type AnswerOf, type DeadLetterView, type HistoryEntry, type Route } from '@holdfast/api';
import type { RunEvent } from '@holdfast/events';
import { ledgerOf, transcriptOf, type LedgerRecord } from '@holdfast/explain';
import { askGateway, type Asked, type GatewayPorts } from './gateway.js';
import type { LaneSeen, RunsFilter, RunsSeen, Views } from './views.js';

const one = (runId: string): Asked => ({ params: { runId } });

/** What a gateway shows: quick, and as far behind the log as its lanes say. */
export const gatewayViews = (ports: GatewayPorts): Views => {
  const ask = <const R extends Route>(route: R, asked?: Asked) => askGateway(ports, route, asked);
  return {
    runs: (filter) => runs(ports, filter),
    run: (runId) => ask(routes.getRun, one(runId)),
    explain: (runId) => ask(routes.explainRun, one(runId)),
    ledger: async (runId) => ledgerOf(await recordsOf(ports, runId)),
    transcript: async (runId) => transcriptOf(await recordsOf(ports, runId)),
    inbox: () => allOf(ports, routes.listQuestions, { query: { status: ['open', 'expired'] } }),
    executors: async () => (await ask(routes.listExecutors)).items,
    lanes: async () => (await ask(routes.listLanes)).items.map((lane): LaneSeen => ({ ...lane, inputs: null })),
    deadLetters: (topic, limit) => allOf<DeadLetterView>(ports, routes.listDeadLetters, { query: { topic } }, limit),
    deadLetter: (place) => ask(routes.getDeadLetter, { params: place }),
    sendAgain: (place) => ask(routes.sendAgain, { params: place, body: { waitMs: 2_000 } }),
  };
};

const recordsOf = async (ports: GatewayPorts, runId: string): Promise<readonly LedgerRecord[]> =>
  (await allOf<HistoryEntry>(ports, routes.getHistory, one(runId))).map(recordOf);

const runs = async (ports: GatewayPorts, filter: RunsFilter): Promise<RunsSeen> => {
  const { status, reason, labels, text, since, limit } = filter;
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const query = { status, reason, label, text, acceptedFrom: since };
  const items = await allOf<RunsSeen['items'][number]>(ports, routes.listRuns, { query }, limit + 1);
  return { items: items.slice(0, limit), more: items.length > limit };
};

type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

/** Page after page, up to so many entries. */
const allOf = async <T>(
  ports: GatewayPorts,
  route: Route,
  { params = {}, query = {} }: Asked,
  most = Infinity,
): Promise<readonly T[]> => {
  const found: T[] = [];
  for (let cursor: string | null = null; found.length < most;) {
    const limit = Math.min(PAGE_MAX, most - found.length);
    const page = (await askGateway(ports, route, { params, query: { ...query, limit, cursor } })) as Page<T>;
    found.push(...page.items);
    cursor = page.next;
    if (cursor === null) break;
  }
  return found;
};

const recordOf = ({ seq, at, type, data }: HistoryEntry): LedgerRecord => ({
  lane: { seq },
  time: new Date(at).toISOString(),
  event: { type, version: 1, data } as unknown as RunEvent,
});

export type Projections = AnswerOf<typeof routes.listProjections>;
