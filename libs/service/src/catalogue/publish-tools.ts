import { encode, type CatalogueEntry, type TopicNames, type ToolOffered } from '@holdfast/contracts';
import { DEFAULTS, LIMITS, toolRef } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import type { Clock, Ids, ToolSet } from '@holdfast/sdk';
import { appendSurely } from '../kafka/append-surely.js';
import type { Catalogue } from './catalogue.js';
import { readCatalogue } from './read-catalogue.js';

/** Tools that must not be served as they are; the message names each one and what to do. */
export class ToolsRefused extends Error {
  override readonly name = 'ToolsRefused';
  constructor(readonly problems: readonly string[]) {
    super(`these tools cannot be served:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

export type PublishPorts = {
  readonly log: Log;
  readonly topics: TopicNames;
  readonly clock: Clock;
  readonly ids: Ids;
};

/**
 * Writes the tools that are not yet in the catalogue. Rejects with `ToolsRefused` when a version is known with other
 * contents, or a key would be forgotten too early under this `startByMs`.
 */
export const publishTools = async (
  ports: PublishPorts,
  tools: ToolSet,
  startByMs: number = DEFAULTS.startByMs,
): Promise<void> => {
  const entries = tools.catalogue();
  const known = await readCatalogue(ports.log, ports.topics);
  refuse([...tooShort(entries, startByMs), ...tooLarge(ports, entries), ...taken(entries, known)]);
  const missing = entries.filter((entry) => known.get(toolRef(entry)) === undefined);
  if (missing.length === 0) return;
  await offer(ports, missing);
  // Another executor may have offered the same version a moment earlier.
  const now = await readCatalogue(ports.log, ports.topics);
  const late = missing.filter((entry) => now.get(toolRef(entry))?.hash !== entry.hash);
  // The topic is compacted, which keeps the last record of a key: the one that counts has to be the last as well.
  await offer(
    ports,
    late.flatMap((entry) => now.get(toolRef(entry)) ?? []),
  );
  refuse(taken(late, now));
};

const refuse = (problems: readonly string[]): void => {
  if (problems.length > 0) throw new ToolsRefused(problems);
};

const taken = (entries: readonly CatalogueEntry[], known: Catalogue): readonly string[] =>
  entries.flatMap((entry) => {
    const other = known.get(toolRef(entry));
    if (other === undefined || other.hash === entry.hash) return [];
    return [
      `${toolRef(entry)}: this version is known with ${differences(entry, other)}; ` +
        `give the changed tool a new version, so that runs that began with the old one keep it`,
    ];
  });

const differences = (entry: CatalogueEntry, other: CatalogueEntry): string => {
  const names = Object.keys({ ...entry, ...other }) as (keyof CatalogueEntry)[];
  const changed = names.filter((name) => JSON.stringify(entry[name]) !== JSON.stringify(other[name]));
  return `another ${changed.filter((name) => name !== 'hash').join(', ') || 'hash'}`;
};

const tooShort = (entries: readonly CatalogueEntry[], startByMs: number): readonly string[] =>
  entries.flatMap((entry) => {
    const least = startByMs + entry.timeoutMs + entry.settleMs;
    if (entry.keyTtlMs === undefined || entry.keyTtlMs > least) return [];
    return [
      `${toolRef(entry)}: keyTtlMs is ${entry.keyTtlMs}, but with HOLDFAST_START_BY_MS ${startByMs} ` +
        `a key must be remembered for longer than ${least} ms`,
    ];
  });

const tooLarge = (ports: PublishPorts, entries: readonly CatalogueEntry[]): readonly string[] =>
  entries.flatMap((entry) => {
    const bytes = encodeTool(ports, entry).byteLength;
    if (bytes < LIMITS.recordBytes) return [];
    return [`${toolRef(entry)}: its schemas take ${bytes} bytes, but must stay below ${LIMITS.recordBytes}`];
  });

const offer = async (ports: PublishPorts, entries: readonly CatalogueEntry[]): Promise<void> => {
  for (const entry of entries) {
    const record = { key: toolRef(entry), value: encodeTool(ports, entry) };
    await appendSurely(ports.log, { topic: ports.topics.tools, partition: 0 }, record);
  }
};

const encodeTool = ({ clock, ids }: PublishPorts, entry: CatalogueEntry): Uint8Array => {
  const message: ToolOffered = {
    type: 'ToolOffered',
    version: 1,
    id: ids.next(),
    source: 'holdfast/executor',
    subject: toolRef(entry),
    time: new Date(clock.now()).toISOString(),
    principal: null,
    data: entry,
  };
  return encode(message);
};
