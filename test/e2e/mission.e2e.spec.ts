import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  dataDir,
  eventually,
  isAlive,
  repositoryRoot,
  spawnService,
  startKafka,
  type Exit,
  type KafkaCluster,
} from '@holdfast/dev';
import { startModelServer, type Script } from '@holdfast/model-server';

const built = (file: string): string => join(repositoryRoot, 'examples', 'documents', 'dist', file);
const GONE_MS_MAX = 10_000;
/** Documents under way at the same time. */
const WINDOW = 32;

type Files = { readonly ledger: string; readonly report: string };
type Cancel = Readonly<Record<'terminalMs' | 'withinMs', number>> & { readonly frozen: readonly number[] };

/** A mission that is over: how it ended, what it said, and what it reports. */
const played = async (
  { brokers }: KafkaCluster,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) => {
  const folder = dataDir('mission');
  const files: Files = { report: join(folder, 'report.json'), ledger: join(folder, 'ledger.jsonl') };
  const said: string[] = [];
  const service = await spawnService({
    name: 'mission',
    command: process.execPath,
    args: [built('main.js'), '--count', '1000', '--report', files.report, '--ledger', files.ledger, ...args],
    env: { KAFKA_BROKERS: brokers.join(','), HOLDFAST_NAMESPACE: 'mission', ...env },
    onLine: (line) => void said.push(line),
  });
  const { code } = await service.exited;
  const told = said.join('\n');
  if (!existsSync(files.report)) throw new Error(`The mission wrote no report:\n${told}`);
  const { cancel } = JSON.parse(readFileSync(files.report, 'utf8')) as { readonly cancel: Cancel };
  return { code, told, cancel, files };
};

const recounted = async ({ ledger, report }: Files): Promise<Exit> => {
  const args = [built('recount.js'), ledger, report];
  const service = await spawnService({ name: 'recount', command: process.execPath, args, onLine: () => undefined });
  return service.exited;
};

let kafka: KafkaCluster;
beforeAll(async () => {
  kafka = await startKafka();
});
afterAll(async () => {
  await kafka?.stop();
});

describe('a mission that is cancelled', () => {
  it('is over in time, begins nothing more, and reports every filing', async () => {
    const { code, told, cancel, files } = await played(kafka, ['--cancel-at', '90']);
    expect({ code, cancel }).toMatchObject({ code: 0, cancel: { atStep: 90, problems: [], frozen: [], inDoubt: 0 } });
    expect(told).toContain('Kept');
    expect(await recounted(files)).toMatchObject({ code: 0 });
  });

  it('is over in time although every executor is frozen, and the woken ones begin nothing', async () => {
    const frozen = ['--cancel-at', '90', '--within', '3s', '--freeze'];
    const { code, told, cancel, files } = await played(kafka, frozen);
    expect({ code, cancel }).toMatchObject({ code: 0, cancel: { atStep: 90, problems: [], startedAfterClosed: 0 } });
    expect(cancel.frozen.length).toBeGreaterThan(0);
    expect(cancel.terminalMs).toBeLessThanOrEqual(cancel.withinMs);
    expect(told).toContain('SIGCONT');
    expect(await recounted(files)).toMatchObject({ code: 0 });
  });
});

describe('a mission whose summaries a model writes', () => {
  it('files each document once although its worker is killed, and asks again only for what was lost', async () => {
    const key = 'sk-mission-0123456789';
    // One in ten is told to come back; to whom that happens is nobody's choice.
    const busy = { fault: 'status', status: 429, headers: { 'retry-after-ms': '100' } } as const;
    const script: Script = (_, n) => (n % 10 === 0 ? busy : { text: 'A model says so.' });
    const model = await startModelServer({ script, key });
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: key };
    const { code, told, files } = await played(kafka, ['--count', '60', '--kill-at', '60', '--model', 'small'], env);
    await model.close();
    expect({ code, told: code === 0 ? '' : told }).toEqual({ code: 0, told: '' });
    expect(await recounted(files)).toMatchObject({ code: 0 });
    const requests = model.requests();
    const summarised = new Set(requests.map(({ key: step }) => step)).size;
    expect(summarised).toBeGreaterThan(50);
    expect(model.rejected()).toEqual([]);
    expect(new Set(requests.map(({ asked }) => asked?.model))).toEqual(new Set(['small']));
    const answered = requests.filter(({ ended }) => ended?.outcome === 'replied');
    expect(new Set(answered.map(({ key: step }) => step)).size).toBe(summarised);
    expect(answered.length).toBeLessThan(requests.length);
    // Only what was under way when the worker died is asked for again, each once.
    expect(answered.length - summarised).toBeLessThanOrEqual(WINDOW);
    const filed = readFileSync(files.ledger, 'utf8').trim().split('\n');
    expect(filed).toHaveLength(60);
    expect(readFileSync(files.report, 'utf8')).not.toContain(key);
  });
});

describe('a mission that is killed while others are frozen', () => {
  it('leaves nobody frozen behind', async () => {
    const freezer = pathToFileURL(built(join('mission', 'freezer.js'))).href;
    const code = `
      import { spawn } from 'node:child_process';
      import { Freezer } from '${freezer}';
      const { pid } = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      new Freezer([pid]).freeze();
      console.log(String(pid));
      setInterval(() => undefined, 1000);`;
    const pids: number[] = [];
    const args = ['--input-type=module', '-e', code];
    const onLine = (line: string): void => void pids.push(Number(line));
    const service = await spawnService({ name: 'host', command: process.execPath, args, onLine });
    const pid = await eventually('somebody is frozen', () => pids[0]);
    expect(isAlive(pid)).toBe(true);
    service.kill('SIGKILL');
    await eventually('the frozen one is gone', () => !isAlive(pid), GONE_MS_MAX);
  });
});
