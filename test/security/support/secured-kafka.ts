import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir, freePort, startKafka, type KafkaCluster, type SecuredOptions } from '@holdfast/dev';
import { accessFrom } from '@holdfast/service/kafka-settings';
import type { KafkaLogger, KafkaOptions } from '@holdfast/log';
import { Authority } from './certificates.js';

const ignore = (): void => undefined;
export const silent: KafkaLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

type Env = Readonly<Record<string, string>>;

/** A real broker that asks everybody who they are, and the files with which one tells it. */
export class SecuredKafka {
  readonly folder = dataDir('security');
  private cluster: KafkaCluster | null = null;
  private readonly passwords = new Map<string, string>();

  private constructor(
    readonly authority: Authority,
    private readonly certificatePort: number,
  ) {}

  /** `users` log in by SCRAM; `admin`, who may do everything, by PLAIN. */
  static async start(users: Readonly<Record<string, string>>): Promise<SecuredKafka> {
    const secured = new SecuredKafka(await Authority.make('Holdfast tests'), await freePort());
    const { folder, authority, certificatePort } = secured;
    mkdirSync(join(folder, 'kafka'), { recursive: true });
    const broker = await authority.sign('broker');
    const keyStore = secured.write('broker.pem', `${broker.key}${broker.cert}\n`);
    const caFile = secured.write('ca.pem', authority.cert);
    const plain = { broker: 'the-broker-itself', admin: 'the-administrator' };
    for (const [user, password] of Object.entries({ ...plain, ...users })) secured.setPassword(user, password);
    const options: SecuredOptions = { keyStore, caFile, ca: authority.cert, certificatePort, plain, scram: users };
    secured.cluster = await startKafka({ dir: join(folder, 'kafka'), secured: options });
    return secured;
  }

  get brokers(): readonly string[] {
    return this.cluster?.brokers ?? [];
  }

  /** The port that takes certificates alone. */
  get certificateBrokers(): readonly string[] {
    return [`127.0.0.1:${this.certificatePort}`];
  }

  /** The variables with which this user comes in. */
  envOf(user: string, more: Env = {}): Env {
    return {
      HOLDFAST_KAFKA_TLS: 'true',
      HOLDFAST_KAFKA_CA_FILE: join(this.folder, 'ca.pem'),
      HOLDFAST_KAFKA_SASL: user === 'admin' ? 'plain' : 'scram-sha-512',
      HOLDFAST_KAFKA_USER: user,
      HOLDFAST_KAFKA_PASSWORD_FILE: join(this.folder, `${user}.password`),
      ...more,
    };
  }

  optionsOf(user: string, more: Env = {}): KafkaOptions {
    const access = accessFrom(this.envOf(user, more));
    return { ...access, brokers: this.brokers, clientId: `test-${user}`, logger: silent };
  }

  /** What the user's password file holds from now on; the broker is not told. */
  setPassword(user: string, password: string): void {
    this.passwords.set(user, password);
    this.write(`${user}.password`, `${password}\n`);
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  async restart(): Promise<void> {
    await this.cluster?.restart();
  }

  async stop(): Promise<void> {
    await this.cluster?.stop();
  }
}
