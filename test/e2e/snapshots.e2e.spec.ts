import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode, slotOf, snapshotDigest, snapshotKind, type SnapshotTaken } from '@holdfast/contracts';
import { eventually, startKafka, type KafkaCluster } from '@holdfast/dev';
import { readToEnd, sha256 } from '@holdfast/sdk';
import { commandLine } from './support/command-line.js';
import { chain, namesOf } from './support/plans.js';
import { put } from './support/topics.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let world: World;
beforeAll(async () => {
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, lanes: 1 });
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

type Seen = { readonly key: string; readonly taken: SnapshotTaken };

/** What lies in the topic of snapshots, the latest last. */
const snapshots = async (): Promise<readonly Seen[]> => {
  const seen: Seen[] = [];
  const place = { topic: world.names.snapshots, partition: 0 };
  await readToEnd(
    world.log,
    place,
    ({ key, value }) => {
      const decoded = slotOf(key) === null ? null : decode(snapshotKind, value);
      if (decoded?.ok === true && decoded.message.type === 'SnapshotTaken')
        seen.push({ key: key ?? '', taken: decoded.message.data });
    },
    { sparse: true },
  );
  return seen;
};

/** Lines of a service's log that have this text in their message. */
const said = (name: string, text: string): readonly Record<string, unknown>[] =>
  readFileSync(join(world.folder, `${name}.log`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => typeof msg === 'string' && msg.includes(text));

describe('a lane whose coordinator is killed', () => {
  it('is taken over from the latest snapshot that history bears out, with every effect made once', async () => {
    const first = await world.runs.id('first', 0);
    const program = chain('file', 40);
    await world.runs.submit(first, program);
    await world.runs.ended(first);
    const newest = await eventually('a snapshot is taken', async () => (await snapshots()).at(-1), 30_000);

    const next = await world.runs.id('next', 0);
    const slow = chain('file', 12, { conduct: ['slow:60'] });
    await world.runs.submit(next, slow);
    await world.runs.seen(next, 'StepSucceeded', ({ stepId }) => stepId === 's2');
    await world.member('coordinator-1').kill();
    const lie = { ...newest.taken, chain: sha256('another history') };
    const data = { ...lie, digest: snapshotDigest(lie, sha256) };
    const head = { version: 1, id: 'x', source: 'test', subject: null, time: '', principal: null } as const;
    const value = encode({ ...head, type: 'SnapshotTaken', data });
    const at = await put(world.log, { topic: world.names.snapshots, partition: 0 }, { key: newest.key, value });

    await world.start('coordinator-2');
    await world.runs.ended(next);
    for (const [runId, plan] of [
      [first, program],
      [next, slow],
    ] as const)
      for (const name of namesOf(runId, plan)) expect(world.ledger.entries(name)).toHaveLength(1);
    expect(said('coordinator-2', 'a snapshot is ignored')).toMatchObject([
      { at, reason: expect.stringContaining('another hash') },
    ]);
    const [leading] = said('coordinator-2', 'leading the lane');
    expect(Number(leading?.['restored'])).toBeGreaterThanOrEqual(newest.taken.offset);
    expect(Number(leading?.['records'])).toBeLessThan(Number(leading?.['seq']) / 2);

    // Reading folds the whole lane: what was written after the snapshot follows what lies before it.
    expect((await world.runs.history(next)).all('RunEnded')).toMatchObject([{ data: { reason: 'succeeded' } }]);
    const audit = await commandLine(kafka.brokers, world.namespace)('audit', '--json');
    const wrong = audit.lines.filter(({ kind, problem }) => kind === 'snapshot' && problem !== null);
    expect([audit.exit, wrong.map((line) => line['at'])]).toEqual([1, [at]]);
  });
});
