import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.js';
import { dataDir } from './paths.js';
import { isOpenToAll, postgresBinaries, type PostgresBinaries } from './postgres.binaries.js';
import { spawnService, type Service } from './service.js';

const startMsMax = 60_000;
const stopMsMax = 10_000;
const USER = 'holdfast';

export type PostgresOptions = {
  /** Where data and log go. Without it: a fresh folder, removed by `stop`, and a server that is quick and not safe. */
  readonly dir?: string;
  /** A free one where absent. */
  readonly port?: number;
  /** Further server settings, over the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** A real Postgres whose processes end with this one. Whoever is on this machine may use it: it is for development. */
export type PostgresServer = {
  /** Of the database that it begins with. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly running: boolean;
  readonly logFile: string;
  /** Makes an empty database and answers its URL. */
  createDatabase(): Promise<string>;
  /** SIGKILL by default; resolves when it has ended. Data stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, killing it first if it runs. */
  restart(): Promise<void>;
  /** Ends it; removes the data unless `dir` was given. */
  stop(): Promise<void>;
};

/** Starts a Postgres on 127.0.0.1. Resolves when it serves. */
export const startPostgres = async (options: PostgresOptions = {}): Promise<PostgresServer> => {
  const binaries = postgresBinaries();
  const dir = options.dir ?? folderFor(binaries);
  const server = new Server(binaries, dir, options.port ?? (await freePort()), settingsOf(options));
  const stop = async () => {
    await server.stop();
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
  };
  try {
    await server.prepare();
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return handleOf(server, stop);
};

const handleOf = (server: Server, stop: () => Promise<void>): PostgresServer => ({
  url: server.urlOf('postgres'),
  port: server.port,
  logFile: server.logFile,
  get pid() {
    return server.pid;
  },
  get running() {
    return server.running;
  },
  createDatabase: () => server.createDatabase(),
  kill: () => server.kill(),
  restart: () => server.restart(),
  stop,
});

/** The server's account must be able to enter it. */
const folderFor = ({ account }: PostgresBinaries): string => {
  const dir = dataDir('postgres');
  if (!('uid' in account) || isOpenToAll(dir)) return dir;
  const open = mkdtempSync(join(tmpdir(), 'holdfast-postgres-data-'));
  chmodSync(open, 0o755);
  return open;
};

/** Data of tests is gone with the machine: nothing has to be on its disk. */
const settingsOf = ({ dir, settings }: PostgresOptions): Readonly<Record<string, string>> => ({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  ...(dir === undefined ? { fsync: 'off', full_page_writes: 'off' } : {}),
  ...settings,
});

class Server {
  readonly logFile: string;
  private readonly data: string;
  private service: Service | null = null;

  constructor(
    private readonly binaries: PostgresBinaries,
    dir: string,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    this.data = join(dir, 'data');
    this.logFile = join(dir, 'postgres.log');
  }

  get pid(): number {
    if (this.service === null) throw new Error(`Postgres on port ${this.port} has not been started.`);
    return this.service.pid;
  }

  get running(): boolean {
    return this.service?.running ?? false;
  }

  urlOf(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  async prepare(): Promise<void> {
    if (existsSync(join(this.data, 'PG_VERSION'))) return;
    const { account, initdb } = this.binaries;
    mkdirSync(this.data, { recursive: true });
    if ('uid' in account) chownSync(this.data, account.uid, account.gid);
    const args = [`--pgdata=${this.data}`, `--username=${USER}`, '--auth=trust', '--encoding=UTF8', '--locale=C'];
    await promisify(execFile)(initdb, [...args, '--no-sync'], { ...account, cwd: '/' });
  }

  async start(): Promise<void> {
    const settings = Object.entries(this.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.service = await spawnService({
      name: `Postgres on port ${this.port}`,
      command: this.binaries.postgres,
      args: ['-D', this.data, '-p', String(this.port), ...settings],
      cwd: '/',
      logFile: this.logFile,
      ...this.binaries.account,
    });
    await this.untilItServes();
  }

  private async untilItServes(): Promise<void> {
    const deadline = performance.now() + startMsMax;
    while (!(await this.serves())) {
      if (!this.running) throw this.failure('ended while it started');
      if (performance.now() > deadline) throw this.failure(`did not serve within ${startMsMax / 1_000} s`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async createDatabase(): Promise<string> {
    const name = `holdfast_${randomBytes(6).toString('hex')}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.urlOf(name);
  }

  async kill(): Promise<void> {
    this.service?.kill('SIGKILL');
    await this.service?.exited;
  }

  async restart(): Promise<void> {
    await this.kill();
    const deadline = performance.now() + startMsMax;
    for (;;) {
      try {
        return await this.start();
      } catch (error) {
        // Processes of the one before have to notice first that it is gone.
        if (performance.now() > deadline || !this.hasLogged('pre-existing shared memory')) throw error;
      }
    }
  }

  /** SIGINT: connections are closed at once, and what was committed is kept. */
  async stop(): Promise<void> {
    if (this.service === null) return;
    this.service.kill('SIGINT');
    this.service.kill('SIGCONT');
    const late = setTimeout(() => this.service?.kill('SIGKILL'), stopMsMax);
    await this.service.exited.finally(() => clearTimeout(late));
  }

  private async serves(): Promise<boolean> {
    try {
      await this.query('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  private async query(text: string): Promise<void> {
    const client = new Client({ connectionString: this.urlOf('postgres'), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  private hasLogged(words: string): boolean {
    return readFileSync(this.logFile, 'utf8')
      .split('\n')
      .slice(-10)
      .some((line) => line.includes(words));
  }

  private failure(what: string): Error {
    const tail = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
    return new Error(`Postgres on port ${this.port} ${what}. The end of its log (${this.logFile}):\n${tail}`);
  }
}
