import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { VARIABLES } from '../libs/service/src/config/variables.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

type Service = {
  readonly image?: string;
  readonly build?: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly user?: string;
  readonly privileged?: boolean;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: unknown; readonly disable?: boolean };
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};

const compose = parse(textOf('docker-compose.yml'), { merge: true }) as Compose;
const all = Object.entries(compose.services).map(([name, service]) => ({ name, ...service }));
const ours = all.filter(({ build }) => build !== undefined);
const dockerfile = textOf('Dockerfile').replaceAll(/\\\n\s*/g, '');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]/.test(line));
const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM')));
const starts = [...textOf('container/holdfast-service').matchAll(/^ {2}([a-z |-]+)\) start/gm)].flatMap(
  ([, names = '']) => names.split('|').map((name) => name.trim()),
);

describe('the command of the image', () => {
  const services = readdirSync(`${root}apps`).filter((name) => existsSync(`${root}apps/${name}/src/main.ts`));

  it('starts every service that there is', () => expect(starts).toEqual(expect.arrayContaining(services)));

  it('starts nothing else but the example', () =>
    expect(starts.filter((name) => !services.includes(name))).toEqual(['demo-office', 'demo-mission']));

  it('may be run', () => expect(statSync(`${root}container/holdfast-service`).mode & 0o111).toBe(0o111));
});

describe('the Dockerfile', () => {
  it('builds on a base that may be another', () => {
    expect(instructions[0]).toMatch(/^ARG BASE=node:\d+-\w+-slim$/);
    for (const line of instructions.filter((one) => one.startsWith('FROM'))) expect(line).toMatch(/^FROM \$\{BASE\}/);
  });

  it('copies only what is there', () => {
    const copied = last
      .filter((line) => line.startsWith('COPY') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(2);
    for (const path of copied) expect({ path, exists: existsSync(`${root}${path}`) }).toEqual({ path, exists: true });
  });

  it('installs the packages of what it starts', () => {
    const workspaces = [...dockerfile.matchAll(/--workspace=(\S+)/g)].map(([, path]) => path);
    const apps = starts.filter((name) => !name.startsWith('demo')).map((name) => `apps/${name}`);
    expect(workspaces.toSorted()).toEqual([...apps, 'examples/documents'].toSorted());
  });

  it('ends with a user that is not root, an init and a health check', () => {
    expect(last.find((line) => line.startsWith('USER'))).toBe('USER 1000:1000');
    expect(last.find((line) => line.startsWith('ENTRYPOINT'))).toMatch(/^ENTRYPOINT \["\/usr\/bin\/tini", "--", /);
    expect(last.find((line) => line.startsWith('HEALTHCHECK'))).toMatch(/healthcheck\.mjs"\]$/);
  });

  it('sets no variable that no service reads', () => {
    const set = [...dockerfile.matchAll(/\b(HOLDFAST_\w+)=/g)].map(([, name]) => name);
    expect(set.filter((name) => !(VARIABLES as readonly string[]).includes(name ?? ''))).toEqual([]);
  });
});

describe('the compose file', () => {
  it.each(ours)('gives $name a command of the image and no rights', (service) => {
    const started = [...(service.entrypoint ?? []), ...(service.command ?? [])].filter((word) => starts.includes(word));
    expect(started).toHaveLength(1);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.tmpfs).toContain('/tmp');
    expect([service.user, service.privileged]).toEqual([undefined, undefined]);
  });

  it.each(all)(
    'gives $name only variables that are read, and volumes that are named',
    ({ environment = {}, volumes = [] }) => {
      const names = Object.keys(environment).filter((name) => name.startsWith('HOLDFAST_'));
      expect(names.filter((name) => !(VARIABLES as readonly string[]).includes(name))).toEqual([]);
      for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    },
  );

  it.each(all)('starts $name when what it needs is healthy, which can be told', ({ depends_on = {} }) => {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect(condition).toBe('service_healthy');
      const needed = compose.services[name];
      expect(needed?.healthcheck?.disable).not.toBe(true);
      expect(needed?.build ?? needed?.healthcheck?.test).toBeDefined();
    }
  });

  it('keeps the demo to its profile', () => {
    expect(all.filter(({ name }) => name.startsWith('demo')).map(({ profiles }) => profiles)).toEqual([
      ['demo'],
      ['demo'],
    ]);
    const usual = all.filter(({ profiles }) => profiles === undefined).map(({ name }) => name);
    expect(usual).toEqual(['kafka', 'postgres', 'coordinator', 'executor', 'reconciler', 'gateway']);
  });

  it('uses the release of Kafka that the tests use', () => {
    const tested = /<artifactId>kafka_[\d.]+<\/artifactId>\s*<version>([\d.]+)</.exec(
      textOf('tools/dev/kafka/pom.xml'),
    );
    expect(compose.services['kafka']?.image).toBe(`apache/kafka:${tested?.[1]}`);
  });

  it('waits longer than a service needs to stop', () => {
    const [, drain = ''] = /^# HOLDFAST_DRAIN_MS=(\d+)$/m.exec(textOf('.env.example')) ?? [];
    for (const { stop_grace_period = '' } of ours)
      expect(Number.parseInt(stop_grace_period, 10) * 1_000).toBeGreaterThan(Number(drain));
  });
});
