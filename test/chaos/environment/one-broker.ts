import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir, freePort, startKafka, type KafkaCluster } from '@holdfast/dev';
import { World } from '../../e2e/support/world.js';
import { Clocks } from './clocks.js';
import { KafkaProxy } from './kafka-proxy.js';
import { Opened } from './opened.js';
import { openSmallVolume, type SmallVolume } from './small-volume.js';

export const SERVICES = ['coordinator-1', 'coordinator-2', 'executor-1', 'executor-2', 'reconciler-1'] as const;
const VOLUME_MB = 96;

type Parts = Pick<OneBroker, 'kafka' | 'proxy' | 'volume' | 'world'> & { readonly opened: Opened };

/** One broker on a small volume behind a proxy, and services whose clocks can be set. */
export class OneBroker {
  readonly services = SERVICES;
  readonly kafka: KafkaCluster;
  readonly proxy: KafkaProxy;
  readonly volume: SmallVolume;
  readonly world: World;
  readonly clocks: Clocks;
  private readonly opened: Opened;

  private constructor({ kafka, proxy, volume, world, opened }: Parts) {
    this.kafka = kafka;
    this.proxy = proxy;
    this.volume = volume;
    this.world = world;
    this.clocks = new Clocks(world.folder);
    this.opened = opened;
  }

  static open(): Promise<OneBroker> {
    return Opened.all(async (opened) => {
      const port = await freePort();
      const volume = opened.add(await openSmallVolume(VOLUME_MB), (one) => one.close());
      const proxy = opened.add(await KafkaProxy.open(port), (one) => one.close());
      const dir = dataDir('kafka');
      mkdirSync(join(dir, 'node-1'));
      symlinkSync(volume.dir, join(dir, 'node-1', 'data'));
      const config = { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${proxy.port}` };
      const kafka = opened.add(await startKafka({ dir, ports: [port], config }), (one) => one.stop());
      const world = opened.add(new World({ brokers: [`127.0.0.1:${proxy.port}`] }), (one) => one.close());
      const stage = new OneBroker({ kafka, proxy, volume, world, opened });
      await world.ledger.start();
      await Promise.all(SERVICES.map((name) => stage.start(name)));
      return stage;
    });
  }

  /** Starts a service with a clock that can be set; it is right. */
  start(name: string): Promise<void> {
    return this.world.member(name).start(this.clocks.envOf(name));
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}
