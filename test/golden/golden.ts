import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { decodeHistory, entriesIn, foldRecord, newLane, type HistoryRecord, type LaneState } from '@holdfast/events';
import { digest } from '../support/digest.js';

/** Recorded histories, one file per release and story: one value per line, and the state that they must give. */
export type Golden = { readonly name: string; readonly values: readonly string[]; readonly state: unknown };

const here = new URL('.', import.meta.url);

export const goldens = (): readonly Golden[] =>
  readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .map((file) => {
      const name = file.slice(0, -'.jsonl'.length);
      const values = readFileSync(new URL(file, here), 'utf8').trimEnd().split('\n');
      return { name, values, state: JSON.parse(readFileSync(new URL(`${name}.state.json`, here), 'utf8')) as unknown };
    });

export const record = (name: string, values: readonly Uint8Array[]): void => {
  const lines = values.map((value) => new TextDecoder().decode(value));
  mkdirSync(new URL(`${name}/..`, here), { recursive: true });
  writeFileSync(new URL(`${name}.jsonl`, here), `${lines.join('\n')}\n`);
  writeFileSync(new URL(`${name}.state.json`, here), `${JSON.stringify(foldLines(lines).state, null, 2)}\n`);
};

export const foldLines = (
  lines: readonly string[],
): { readonly records: readonly HistoryRecord[]; readonly state: unknown } => {
  const lane = newLane();
  const records = lines.map((line) => {
    const value = new TextEncoder().encode(line);
    const decoded = decodeHistory(value);
    if (!decoded.ok) throw new Error(decoded.problem);
    foldRecord(lane, decoded.record, digest(value), digest);
    return decoded.record;
  });
  return { records, state: plain(lane) };
};

/** All that a lane keeps, as JSON. */
const plain = ({ runs, requests, recent, shared, ...lane }: LaneState): unknown => ({
  ...lane,
  shared: {
    ...shared,
    cancels: Object.fromEntries(entriesIn(shared.cancels)),
    keys: Object.fromEntries(entriesIn(shared.keys)),
  },
  runs: Object.fromEntries(runs),
  requests: Object.fromEntries(requests),
  recent: recent.size,
});
