import { encode, lanePlan, topicNames, type CatalogueEntry } from '@holdfast/contracts';
import { evolve, noRuns, runEvent, type HistoryRecord, type RunEvent, type RunState } from '@holdfast/events';
import { planFork, RequestRefused, type Answer, type Client, type ClientError } from '@holdfast/sdk';
import { createMemoryLog, createMemoryTopics, MemoryCluster, type Acls, type Grant } from '@holdfast/log';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from './cli.js';
import type { Connection } from './cluster.js';

const record = (event: RunEvent, seq: number): HistoryRecord => ({
  id: `3/${seq}`,
  time: '2026-01-01T00:00:00Z',
  subject: 'run-1',
  principal: null,
  lane: { epoch: 1, seq, owner: 'me', first: seq, size: 1 },
  prev: null,
  event,
});
const report = {
  applied: 0,
  absent: [],
  inDoubt: [],
  running: [],
  conflicts: [],
  totals: { absent: 0, inDoubt: 0, running: 0, conflicts: 0 },
  stepsSucceeded: 1,
  stepsFailed: 0,
};
export const waiting = runEvent('RunWaiting', { waitingFor: 'an executor', since: 1 });
export const ended = (reason: 'succeeded' | 'failed'): RunEvent =>
  runEvent('RunEnded', { reason, detail: '', output: { ok: true }, report, endedAt: 1 });
const endedRun: RunState = {
  status: 'ended',
  runId: 'run-1',
  requestId: 'q',
  requestHash: 'h',
  end: { reason: 'succeeded', endedAt: 1 },
};

type World = {
  /** The run is what its events make of it; otherwise it has ended. */
  readonly isLive?: boolean;
  readonly events?: readonly RunEvent[];
  readonly refuse?: Partial<Answer>;
  readonly say?: Partial<Answer>;
  readonly fail?: ClientError;
  /** What a last lane says of a cancel of many runs. */
  readonly lane?: 'refused' | 'pending';
  /** Tools that are published. */
  readonly tools?: ReadonlyMap<string, CatalogueEntry>;
  /** The access lists of the brokers, changed in place. */
  readonly grants?: Grant[];
};

const folded = (events: readonly RunEvent[]): RunState | undefined => {
  let state: RunState | undefined;
  events.forEach((event, seq) => (state = evolve(state, event, seq)));
  return state;
};

type Reading = Pick<Client, 'planFork' | 'watch' | 'readRun' | 'readTenant' | 'watchCancelRuns' | 'lanes' | 'close'>;

const readingOf = ({ isLive = false, events = [] }: World): Reading => ({
  watchCancelRuns: async function* () {
    yield { runs: 5, cancelled: 5, ended: 1 };
  },
  readTenant: async () => ({ amounts: { effects: 9 }, committed: { effects: 2 }, runs: noRuns, queue: [], over: [] }),
  watch: async function* (_, { signal } = {}) {
    for (const [seq, event] of events.entries())
      yield { record: record(event, seq), run: endedRun, lane: 3, offset: seq };
    const over = events.at(-1)?.type === 'RunEnded' || signal?.aborted === true;
    if (!over) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  },
  readRun: async (runId) => ({
    runId,
    lane: 3,
    records: events.map(record),
    run: isLive || events.length === 0 ? folded(events) : endedRun,
    updatedAt: events.length === 0 ? null : 1,
    checked: { valid: 10, void: 1, repeated: 2, chain: 'abc' },
  }),
  planFork: async (runId, wish = {}) => planFork(runId, events.map(record), wish),
  lanes: async () => 12,
  close: async () => undefined,
});

const same = (a: Grant) => (b: Grant) => JSON.stringify(a) === JSON.stringify(b);
export const memoryAcls = (grants: Grant[] = []): Acls => {
  return {
    of: async (principal) => grants.filter((one) => one.principal === principal),
    grant: async (more) => void grants.push(...more.map((one) => ({ ...one }))),
    revoke: async (gone) => gone.forEach((one) => grants.splice(grants.findIndex(same(one)), 1)),
  };
};

/** A connection to a cluster of nothing. */
const memory = async ({ tools, grants = [] }: World): Promise<Omit<Connection, 'client'>> => {
  const cluster = new MemoryCluster();
  const names = topicNames('holdfast');
  if (tools !== undefined) {
    await createMemoryTopics(cluster).ensure(lanePlan(names, 1));
    for (const [key, data] of tools) {
      const outer = { version: 1, id: key, source: 'test', subject: null, time: '', principal: null };
      cluster.partition(names.tools, 0).append([{ key, value: encode({ ...outer, type: 'ToolOffered', data }) }]);
    }
  }
  return {
    log: createMemoryLog(cluster),
    topics: createMemoryTopics(cluster),
    acls: memoryAcls(grants),
    names,
    brokers: 1,
    close: async () => undefined,
  };
};

/** A command line before a cluster that answers as the world says; `asked` is what it was asked. */
export const world = (settings: World = {}) => {
  const { refuse, fail, say = {}, lane } = settings;
  const asked: unknown[] = [];
  const out: string[] = [];
  const err: string[] = [];
  const interruption = new AbortController();
  const ask = async (...request: unknown[]): Promise<Answer> => {
    asked.push(request);
    const reply = { requestId: 'q', runId: 'run-1', lane: 3, seq: 9, outcome: 'accepted' as const, ...say };
    if (fail) throw fail;
    if (refuse) throw new RequestRefused({ ...reply, outcome: 'refused', ...refuse });
    return reply;
  };
  const client: Client = {
    ...readingOf(settings),
    submit: (submission) => ask('submit', submission),
    cancel: (runId, options) => ask('cancel', runId, options),
    cancelRuns: async (cancelling) => {
      asked.push(['cancelRuns', cancelling]);
      const answer = { requestId: 'q', runId: 'lane/0', lane: 0, seq: 9, outcome: 'accepted' as const };
      const answers = [2, 3].map((runs) => ({ ...answer, details: { runs } }));
      return { requestId: 'q', answers: lane === undefined ? answers : [...answers, { ...answer, outcome: lane }] };
    },
    kill: (runId, options) => ask('kill', runId, options),
    pause: (runId, options) => ask('pause', runId, options),
    resume: (runId, options) => ask('resume', runId, options),
    steer: (runId, options) => ask('steer', runId, options),
    answer: (runId, options) => ask('answer', runId, options),
    fork: (runId, options) => ask('fork', runId, options),
    setTenantBudget: (tenant, options) => ask('tenant', tenant, options),
    askAgain: async (written) => ({ offset: 0, answer: await ask('again', written) }),
  };
  const run = (...args: string[]): Promise<number> =>
    runCli(args, {
      out: { write: (text) => out.push(text) },
      err: { write: (text) => err.push(text) },
      env: {},
      connect: async () => ({ ...(await memory(settings)), client }),
      interrupted: () => interruption.signal,
    });
  return { run, asked, interruption, out: () => out.join(''), err: () => err.join('') };
};

export const planFile = async (): Promise<string> => {
  const file = join(await mkdtemp(join(tmpdir(), 'holdfast-')), 'plan.json');
  await writeFile(file, '{"kind":"plan","name":"My Mission!","steps":[]}');
  return file;
};
