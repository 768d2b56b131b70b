import { pathOf, routes, type Route } from '@holdfast/api';
import type { TopicNames } from '@holdfast/contracts';
import { modelTools } from '@holdfast/mcp-server';
import type { Log } from '@holdfast/log';
import { gzipPacking, restoreSnapshot, sha256, snapshotsSeen, snapshotTaken, type Packing } from '@holdfast/sdk';
import { Client as Database } from 'pg';
import { ModelClient } from '../../e2e/support/model-client.js';

type Of = { readonly runId: string; readonly stepId: string };

/** What every route answers about a run, whatever it is: all of them, or those that one looks with. */
export const answersOf = async (gateway: string, params: Of, which: 'all' | 'looking'): Promise<readonly string[]> => {
  const answers: string[] = [];
  const more = { partition: 0, offset: 0, tenant: 'nobody', tokenId: '0123456789abcdef' };
  const asked = (Object.values(routes) as readonly Route[]).filter(
    ({ method, tag }) => which === 'all' || (method === 'GET' && tag !== 'live'),
  );
  for (const route of asked) {
    const signal = AbortSignal.timeout(3_000);
    const body =
      route.method === 'GET' ? {} : { body: '{"nothing": "of it"}', headers: { 'content-type': 'application/json' } };
    const path = pathOf(route, { ...more, ...params });
    const answer = await fetch(`${gateway}${path}`, { method: route.method, signal, ...body });
    const text = await answer.text().catch(() => '(a stream)');
    answers.push(`${route.id} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
  }
  return answers;
};

/** What every tool for models answers about it, and how each is described. */
export const modelAnswersOf = async (gateway: string, of: readonly Of[]): Promise<readonly string[]> => {
  const model = await ModelClient.over(gateway);
  const answers = [JSON.stringify(await model.descriptions())];
  for (const { runId, stepId } of of) {
    const parts = ['program', 'output', 'report', 'tools', 'args', 'result'].map((part) => ({ part, runId, stepId }));
    const asked = modelTools.flatMap(({ name, input }) => {
      if (name === 'read_part') return parts.map((part) => [name, part] as const);
      const known = { runId, stepId, text: runId, tool: 'leak-in-result@1', status: ['open', 'answered', 'failed'] };
      const fits = Object.fromEntries(Object.entries(known).filter(([field]) => field in input.shape));
      return [[name, name === 'list_escalations' || name === 'list_tools' ? {} : fits] as const];
    });
    for (const [name, args] of asked) answers.push(`${name} ${(await model.call(name, args)).text}`);
  }
  await model.close();
  return answers;
};

/** The page for people and all that it loads. */
export const pagesOf = async (gateway: string): Promise<readonly string[]> => {
  const page = await (await fetch(`${gateway}/`, { headers: { accept: 'text/html' } })).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  const bodies = files.map(async (path) => (await fetch(`${gateway}${path}`)).text());
  return [page, ...(await Promise.all(bodies))];
};

/** All rows as text: in its files the database keeps long values compressed. */
export const rowsOf = async (url: string): Promise<readonly string[]> => {
  const client = new Database({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const lines: string[] = [];
  for (const { name } of rows) {
    const found = await client.query<{ line: string }>(`select row_to_json(t)::text as line from ${name} t`);
    lines.push(...found.rows.map(({ line }) => line));
  }
  await client.end();
  return lines;
};

/** What is in all snapshots, which are packed where they stand. */
export const snapshotsOf = async (log: Log, names: TopicNames, lanes: number): Promise<readonly string[]> => {
  const texts: string[] = [];
  const packing: Packing = {
    ...gzipPacking,
    unpack: async (packed, bytesMax) => {
      const bytes = await gzipPacking.unpack(packed, bytesMax);
      texts.push(Buffer.from(bytes).toString('utf8'));
      return bytes;
    },
  };
  for (let lane = 0; lane < lanes; lane += 1) {
    const topic = { log, topic: names.snapshots, lane, digest: sha256, packing };
    for await (const { value } of snapshotsSeen(topic)) {
      const taken = snapshotTaken(value, sha256);
      if (taken.ok) await restoreSnapshot(topic, taken.value);
    }
  }
  return texts;
};
