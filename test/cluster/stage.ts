import { eventually, startKafka, startPostgres, type KafkaCluster } from '@holdfast/dev';
import { silentLogger } from '@holdfast/sdk';
import { Database } from '../../apps/gateway/src/store/database.js';
import { Opened } from '../chaos/environment/opened.js';
import { Gateway } from '../e2e/support/gateway.js';
import { World } from '../e2e/support/world.js';
import { behind } from '../support/cluster.js';
import { differencesOnceSettled } from '../support/rows.js';

const SERVICES = ['coordinator', 'executor', 'reconciler'].flatMap((kind) => [`${kind}-1`, `${kind}-2`]);
const LANES = 4;
const IN_SYNC_MS = 60_000;
const COMPARISONS = 5;

type Parts = Pick<Stage, 'kafka' | 'world' | 'gateways'> & { readonly opened: Opened; readonly database: Database };

/** Three brokers with three copies of everything, two of which must be in sync, and two of each service. */
export class Stage {
  readonly services = SERVICES;
  readonly kafka: KafkaCluster;
  readonly world: World;
  readonly gateways: readonly Gateway[];

  private constructor(private readonly parts: Parts) {
    this.kafka = parts.kafka;
    this.world = parts.world;
    this.gateways = parts.gateways;
  }

  static open(config: Readonly<Record<string, string>>): Promise<Stage> {
    return Opened.all(async (opened) => {
      const kafka = opened.add(await startKafka({ nodes: 3, config }), (one) => one.stop());
      const { url } = opened.add(await startPostgres(), (one) => one.stop());
      const world = opened.add(await World.open({ brokers: kafka.brokers }, SERVICES), (one) => one.close());
      const database = opened.add(new Database({ url, logger: silentLogger }), (one) => one.close());
      const gateways = [1, 2].map((number) => {
        const gateway = new Gateway(world, url, { HOLDFAST_SHADOW_RATE: '0' }, `gateway-${number}`);
        return opened.add(gateway, ({ member }) => member.killWhole());
      });
      for (const { member } of gateways) await member.start();
      return new Stage({ kafka, world, gateways, opened, database });
    });
  }

  /** Waits until every partition has all of its copies in sync. */
  async inSync(): Promise<void> {
    await eventually('all copies are in sync', async () => (await behind(this.kafka)) === 0, IN_SYNC_MS);
  }

  /** What the rows of the gateways say otherwise than the history; lanes go on meanwhile, so it is asked again. */
  async differences(): Promise<readonly string[]> {
    const place = { log: this.world.log, topic: this.world.names.history, lanes: LANES };
    let found: readonly string[] = [];
    for (let times = 0; times < COMPARISONS; times += 1) {
      found = await differencesOnceSettled(this.parts.database, place);
      if (found.length === 0) break;
    }
    return found;
  }

  close(): Promise<void> {
    return this.parts.opened.close();
  }
}
