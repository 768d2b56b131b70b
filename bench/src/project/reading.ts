import { percentiles, type Percentiles } from '../measures.js';

const LISTS = 400;
const GETS = 1_000;

export type Reading = { readonly list: Percentiles; readonly get: Percentiles };

/** How long the answers of the API take, one question after the other: lists with different filters, and single runs. */
export const measureReading = async (url: string, runIds: readonly string[]): Promise<Reading> => {
  const lists: string[] = ['', 'status=ended', 'status=running', 'label=team%3Dteam-6', 'tenant=nobody'];
  const list = await timed(LISTS, (index) => ask(`${url}/v1/runs?limit=50&${lists[index % lists.length]}`));
  const get = await timed(GETS, (index) => {
    const runId = runIds[(index * 7_919) % runIds.length] ?? '';
    return ask(`${url}/v1/runs/${encodeURIComponent(runId)}`);
  });
  return { list, get };
};

const timed = async (times: number, work: (index: number) => Promise<void>): Promise<Percentiles> => {
  const durations: number[] = [];
  // The first ones open connections and fill caches.
  for (let index = -20; index < times; index += 1) {
    const before = performance.now();
    await work(Math.abs(index));
    if (index >= 0) durations.push(performance.now() - before);
  }
  return percentiles(durations);
};

const ask = async (url: string): Promise<void> => {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}: ${text.slice(0, 300)}`);
};
