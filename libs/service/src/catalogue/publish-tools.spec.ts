import { lanePlan, topicNames, type CatalogueEntry } from '@holdfast/contracts';
import { createMemoryLog, createMemoryTopics, MemoryCluster, type Log } from '@holdfast/log';
import { defineTool, systemClock, systemIds, toolSet } from '@holdfast/sdk';
import { z } from 'zod';
import type { CatalogueChange } from './catalogue.js';
import { publishTools, ToolsRefused } from './publish-tools.js';
import { followCatalogue, readCatalogue } from './read-catalogue.js';

const topics = topicNames('holdfast');
const tool = (name: string, timeoutMs = 1_000) =>
  defineTool({
    name,
    version: '1',
    input: z.object({}),
    output: z.null(),
    timeoutMs,
    replay: { policy: 'keyed', keyTtlMs: 100_000 },
    run: () => null,
  });
const serve = (...tools: ReturnType<typeof tool>[]) => toolSet(tools);

const setUp = async () => {
  const cluster = new MemoryCluster();
  await createMemoryTopics(cluster).ensure(lanePlan(topics, 2));
  const log = createMemoryLog(cluster, { pollMs: 5 });
  const ports = { log, topics, clock: systemClock, ids: systemIds };
  return { log, ports, partition: cluster.partition(topics.tools, 0) };
};

describe('offering tools', () => {
  it('writes each version once, under its name', async () => {
    const { ports, partition, log } = await setUp();
    await publishTools(ports, serve(tool('pay'), tool('file')));
    await publishTools(ports, serve(tool('pay')));
    expect(partition.slice(0, 10, 1e6).map(({ key }) => key)).toStrictEqual(['pay@1', 'file@1']);
    expect((await readCatalogue(log, topics)).get('pay@1')).toStrictEqual(tool('pay').catalogueEntry());
  });

  it('refuses the same version with other contents and says what differs', async () => {
    const { ports, partition } = await setUp();
    await publishTools(ports, serve(tool('pay')));
    const again = publishTools(ports, serve(tool('file'), tool('pay', 2_000)));
    await expect(again).rejects.toThrow(ToolsRefused);
    await expect(again).rejects.toThrow(
      'pay@1: this version is known with another timeoutMs; give the changed tool a new',
    );
    expect(partition.bounds().end).toBe(1);
  });

  it('gives way to who was first, also after compaction', async () => {
    const { ports, partition, log } = await setUp();
    let first = true;
    const late: Log = {
      ...ports.log,
      append: async (topic, index, records) => {
        if (first) {
          first = false;
          await publishTools(ports, serve(tool('pay', 2_000)));
        }
        return log.append(topic, index, records);
      },
      read: (...args) => log.read(...args),
      bounds: (...args) => log.bounds(...args),
    };
    await expect(publishTools({ ...ports, log: late }, serve(tool('pay')))).rejects.toThrow(ToolsRefused);
    partition.compact();
    expect((await readCatalogue(log, topics)).get('pay@1')?.timeoutMs).toBe(2_000);
  });

  it('refuses a key that this cluster would forget too early', async () => {
    const { ports } = await setUp();
    await expect(publishTools(ports, serve(tool('pay')), 94_001)).rejects.toThrow(
      'pay@1: keyTtlMs is 100000, but with HOLDFAST_START_BY_MS 94001 a key must be remembered for longer than 100001 ms',
    );
  });
});

describe('following the catalogue', () => {
  it('hears of tools, withdrawals, conflicts and nonsense, across the holes of compaction', async () => {
    const { ports, partition, log } = await setUp();
    await publishTools(ports, serve(tool('old'), tool('pay')));
    partition.append([{ key: 'old@1', value: null }]);
    partition.append([{ key: 'file@1', value: null }]);
    partition.compact();
    const tools: CatalogueEntry[] = [];
    const changes: CatalogueChange[] = [];
    let heard = (): void => undefined;
    const all = new Promise<void>((resolve) => (heard = resolve));
    const catalogue = followCatalogue({
      log,
      topics,
      onTool: (entry) => tools.push(entry),
      onChange: (change) => {
        if (changes.push(change) === 3) heard();
      },
    });
    await catalogue.caughtUp;
    expect(catalogue.all().map(({ name }) => name)).toStrictEqual(['pay']);
    const forged = { ...tool('pay').catalogueEntry(), hash: 'other' };
    const [known] = partition.slice(0, 10, 1e6);
    const text = Buffer.from(known?.value ?? '').toString('utf8');
    const value = Buffer.from(text.replace(tool('pay').catalogueEntry().hash, forged.hash));
    partition.append([{ key: 'pay@1', value }]);
    partition.append([{ key: 'x', value: Buffer.from('{}') }]);
    partition.append([{ key: 'pay@1', value: null }]);
    await all;
    expect(tools.map(({ name }) => name)).toStrictEqual(['pay']);
    expect(changes.map(({ change }) => change)).toStrictEqual(['conflict', 'unreadable', 'withdrawn']);
    expect(catalogue.get('pay@1')).toBeUndefined();
    await catalogue.close();
    await log.close();
  });
});
