import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir, freePort, startKafka, startPostgres } from '@holdfast/dev';
import { Opened } from '../chaos/environment/opened.js';
import { buildImage, removeImage, type Image } from './support/buildah.js';
import { Container, type ContainerPlan } from './support/container.js';

/** As docker-compose.yml has it. */
const TOOLS = '/app/examples/documents/dist/tools.js';
const DOCUMENTS = '/app/node_modules';
const STATE = '/var/lib/holdfast';
export const ADMIN_TOKEN = randomBytes(32).toString('hex');

type Parts = {
  readonly image: Image;
  readonly brokers: string;
  readonly database: string;
  readonly officePort: number;
  readonly opened: Opened;
};

/** The image, and what its services need: a broker and a database of the machine, and the records office out of it. */
export class Stage {
  private readonly folder = dataDir('containers');
  private readonly containers: Container[] = [];

  private constructor(private readonly parts: Parts) {}

  static open(): Promise<Stage> {
    return Opened.all(async (opened) => {
      opened.add(null, removeImage);
      const image = await buildImage();
      const kafka = opened.add(await startKafka(), (one) => one.stop());
      const postgres = opened.add(await startPostgres(), (one) => one.stop());
      const brokers = kafka.brokers.join(',');
      return new Stage({ image, brokers, database: postgres.url, officePort: await freePort(), opened });
    });
  }

  get image(): Image {
    return this.parts.image;
  }

  get officeUrl(): string {
    return `http://127.0.0.1:${this.parts.officePort}`;
  }

  /** A service as the compose file has it, on a port of its own. */
  async service(kind: string, name = kind): Promise<Container> {
    const port = String(await freePort());
    const tools = { HOLDFAST_TOOLS: TOOLS, OFFICE_URL: this.officeUrl, DOCUMENTS_ROOT: DOCUMENTS };
    const gateway = { DATABASE_URL: this.parts.database, HOLDFAST_AUTH: 'tokens', HOLDFAST_ADMIN_TOKEN: ADMIN_TOKEN };
    const more = { gateway, executor: tools, reconciler: tools }[kind] ?? {};
    return this.start({
      name,
      command: [kind],
      env: { KAFKA_BROKERS: this.parts.brokers, HOLDFAST_HTTP_PORT: port, ...more },
    });
  }

  office(): Promise<Container> {
    const ledger = join(this.folder, 'ledger');
    mkdirSync(ledger);
    const [uid, gid] = this.image.config.User.split(':').map(Number);
    chownSync(ledger, uid ?? 0, gid ?? 0);
    const port = ['--host', '127.0.0.1', '--port', String(this.parts.officePort)];
    return this.start({
      name: 'demo-office',
      command: ['demo-office', '--ledger', `${STATE}/ledger.jsonl`, ...port],
      env: {},
      volumes: { [ledger]: STATE },
    });
  }

  mission(count: number): Promise<Container> {
    const command = [
      'demo-mission',
      '--office',
      this.officeUrl,
      '--report',
      '/tmp/report.json',
      '--count',
      String(count),
    ];
    return this.start({
      name: 'demo-mission',
      command,
      env: { KAFKA_BROKERS: this.parts.brokers },
      tmpfs: ['/app/.holdfast'],
    });
  }

  command(...command: readonly string[]): Promise<Container> {
    return this.start({ name: command[0] ?? 'command', command, env: { KAFKA_BROKERS: this.parts.brokers } });
  }

  async close(): Promise<void> {
    await Promise.all(this.containers.map((container) => container.kill()));
    await this.parts.opened.close();
  }

  private async start(plan: Omit<ContainerPlan, 'logFile'>): Promise<Container> {
    const logFile = join(this.folder, `${plan.name}-${this.containers.length}.log`);
    const container = new Container(this.image, { ...plan, logFile });
    this.containers.push(container);
    await container.start();
    return container;
  }
}
