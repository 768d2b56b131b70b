import type { CatalogueEntry, TopicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import { readToEnd } from '@holdfast/sdk';
import { Catalogue, type CatalogueChange } from './catalogue.js';

/** Reads the tools topic to its end. Rejects with `LogUnavailable` when nobody answers for 15 s. */
export const readCatalogue = async (log: Log, topics: TopicNames): Promise<Catalogue> => {
  const catalogue = new Catalogue();
  const place = { topic: topics.tools, partition: 0 };
  await readToEnd(log, place, (record) => void catalogue.take(record), { sparse: true, patienceMs: 15_000 });
  return catalogue;
};

export type FollowCatalogue = {
  readonly log: Log;
  readonly topics: TopicNames;
  readonly onTool: (tool: CatalogueEntry) => void;
  /** Everything else: withdrawn tools, conflicts, records that cannot be read. */
  readonly onChange?: (change: Exclude<CatalogueChange, { change: 'offered' | 'none' }>) => void;
  readonly onTrouble?: (detail: string) => void;
};

export type CatalogueFollower = {
  get(ref: string): CatalogueEntry | undefined;
  all(): readonly CatalogueEntry[];
  /** Fulfilled once everything that was there at the beginning is known. */
  readonly caughtUp: Promise<void>;
  close(): Promise<void>;
};

/** Follows the tools topic from its start. Compaction leaves holes between its offsets, which is right there. */
export const followCatalogue = (options: FollowCatalogue): CatalogueFollower => {
  const { log, topics } = options;
  let catalogue = new Catalogue();
  let arrived = nothing;
  const caughtUp = new Promise<void>((resolve) => (arrived = resolve));
  const tail = log.tail({
    batch: ({ records, next, end }) => {
      for (const record of records) tell(options, catalogue.take(record));
      if (next >= end) arrived();
    },
    outOfRange: (topic, partition, _, { start }) => {
      options.onTrouble?.(`${topic} begins at ${start} now: reading it anew`);
      catalogue = new Catalogue();
      tail.follow(topic, partition, start, { sparse: true });
    },
    trouble: (detail) => options.onTrouble?.(detail),
  });
  tail.follow(topics.tools, 0, 0, { sparse: true });
  return {
    get: (ref) => catalogue.get(ref),
    all: () => catalogue.all(),
    caughtUp,
    close: () => tail.close(),
  };
};

const nothing = (): void => undefined;

const tell = ({ onTool, onChange }: FollowCatalogue, change: CatalogueChange): void => {
  if (change.change === 'offered') onTool(change.tool);
  else if (change.change !== 'none') onChange?.(change);
};
