import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDir, eventually, repositoryRoot, startKafka, type KafkaCluster } from '@holdfast/dev';
import { silentLogger } from '@holdfast/sdk';
import { loadToolsAndFiles } from '@holdfast/tool-files';
import { commandLine } from './support/command-line.js';
import { from, plan } from './support/plans.js';
import type { Json, PlanStep } from '@holdfast/programs';
import { World } from './support/world.js';

const SERVER = join(repositoryRoot, 'test', 'support', 'mcp', 'server.mjs');
const folder = dataDir('e2e-mcp');
const book = join(folder, 'book');
const stayed = join(folder, 'stayed');
const file = join(folder, 'tools.yaml');

/** As a user writes it. */
const SERVED = `
    command: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(SERVER)}]
    env: { BOOK: ${JSON.stringify(book)} }
    version: '1'
    callMs: 2000
    only: [note, look, big, noise]
    tools:
      note:
        policy: verifiable
        settleMs: 200
        readBack:
          tool: look
          args: { name: '{args.name}' }
          rules:
            - { at: structured.count, equals: 0, verdict: absent }
            - { at: 'structured.found[0].text', equals: '{args.text}', verdict: applied }
          result: { lines: '{answer.structured.count}' }
      look: { policy: repeatable }
      big: { policy: repeatable }
      noise: { policy: repeatable }`;
const TOOLS = `mcp:
  book:${SERVED}
  other:${SERVED}
  stayer:
    command: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(SERVER)}]
    env: { BOOK: ${JSON.stringify(stayed)}, STAY: 'yes' }
    version: '1'
    pin: stayer.pin.json
    callMs: 3000
    only: [note]
    tools: { note: { policy: unprotected, settleMs: 200 } }
`;
const PIN = {
  server: { name: 'book', version: '7' },
  tools: [
    {
      name: 'note',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          text: { type: 'string' },
          key: { type: 'string' },
          conduct: { type: 'array', items: { type: 'string' } },
        },
        required: ['name'],
      },
    },
  ],
};

let kafka: KafkaCluster;
let world: World;
/** Begun together, each with a server of its own: they wait for a window to be over. */
let applied: string;
let absent: string;
beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  writeFileSync(file, TOOLS);
  writeFileSync(join(folder, 'stayer.pin.json'), JSON.stringify(PIN));
  kafka = await startKafka();
  world = await World.open({ brokers: kafka.brokers, tools: [file] });
  [applied, absent] = [await world.runs.id('applied'), await world.runs.id('absent')];
  const look = step('look', 'book.look', { name: applied }, ['note']);
  const note = step('note', 'book.note', { name: applied, text: TEXT, conduct: ['crash-after'] });
  await world.runs.submit(applied, plan([note, look], { output: from('steps.note.structured.lines') }));
  const other = { name: absent, text: 'hello', conduct: ['crash-before', 'ok'] };
  await world.runs.submit(absent, plan([step('note', 'other.note', other)]));
});
afterAll(async () => {
  await world?.close();
  await kafka?.stop();
});

const linesOf = (path: string): readonly string[] =>
  readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line !== '');
const entries = (name: string) =>
  linesOf(book)
    .map((line) => JSON.parse(line) as { readonly name: string; readonly text: string })
    .filter((entry) => entry.name === name);
const calls = (name: string): number => linesOf(`${book}.calls`).filter((called) => called === name).length;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A call that may last as long as its tool says. */
const step = (id: string, tool: string, args: Json, after: readonly string[] = []): PlanStep => ({
  id,
  tool: `${tool}@1`,
  args,
  after: [...after],
});

/** Not a line of it is one. */
const TEXT = 'a\u2028b\u2029c\u0085d\r\ne\nf';

describe('an MCP server that dies in a call', () => {
  it('after it has acted is asked what it did: the effect is there once, and the run succeeds', async () => {
    const runId = applied;
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', output: 1, report: { applied: 1 } });
    expect([entries(runId), calls(runId)]).toEqual([[{ name: runId, text: TEXT, key: null }], 1]);
    const history = await world.runs.history(runId);
    expect(history.all('DoubtOpened', 'note')).toMatchObject([{ data: { cause: expect.any(String) } }]);
    const told = JSON.stringify(history.all('DoubtSettled', 'note').map(({ data }) => data));
    expect(told).toContain('asked book by look: rule 2 holds');
    expect(told).toContain(JSON.stringify(JSON.stringify({ name: runId })).slice(1, -1));

    // Exported with a record in each line, all of it reads back as it was.
    const { exit, lines } = await commandLine(world.options.brokers, world.namespace)('replay', runId, '--json');
    expect(exit).toBe(0);
    const records = lines.filter(({ kind }) => kind === 'event');
    expect(records).toHaveLength(history.records.length);
    const found = JSON.stringify([{ name: runId, text: TEXT, key: null }]);
    expect(JSON.stringify(records)).toContain(JSON.stringify(found).slice(1, -1));
  });

  it('before it has acted is asked as well: it is absent, and the call is made again', async () => {
    const runId = absent;
    expect(await world.runs.ended(runId)).toMatchObject({ reason: 'succeeded', report: { applied: 1 } });
    expect([entries(runId).length, calls(runId)]).toEqual([1, 2]);
    const history = await world.runs.history(runId);
    expect(history.all('DoubtSettled', 'note').map(({ data }) => data.verdict)).toEqual(['absent']);
  });
});

describe('a process that leaves without closing its tools', () => {
  it('takes its MCP servers with it, whatever they ignore', async () => {
    const section = {
      s: { command: process.execPath, args: [SERVER], env: { BOOK: join(folder, 'left'), STAY: 'yes' }, version: '1' },
    };
    const script = `
      import { toolsFromSection } from '@holdfast/mcp-tools';
      import { silentLogger as logger } from '@holdfast/sdk';
      await toolsFromSection(${JSON.stringify(section)}, { file: 'f', directory: '.', logger });
      process.exit(7);`;
    const exit = await new Promise((resolve) => {
      spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: repositoryRoot }).once('exit', resolve);
    });
    expect(exit).toBe(7);
    const server = Number(linesOf(join(folder, 'left.pids')).at(-1));
    await eventually('the server is gone', () => !isAlive(server));
  });
});

describe('a worker with MCP servers', () => {
  it('lives through what they print, and through answers that nobody can keep', async () => {
    const worker = world.member('executor-1').workerPid();
    const program = plan([
      step('noise', 'book.noise', { lines: 2_000 }),
      step('big', 'book.big', { bytes: 300_000 }),
      step('note', 'book.note', { name: 'after' }, ['noise', 'big']),
    ]);
    const { end, history } = await world.runs.run('printed', program);
    expect(end).toMatchObject({ reason: 'succeeded' });
    expect(JSON.stringify(history.all('StepSucceeded', 'big')[0]?.data)).toContain('"omitted":true');
    expect(history.all('DoubtOpened')).toEqual([]);
    expect(world.member('executor-1').workerPid()).toBe(worker);
  });

  it('is killed with them: none of them stays behind, whatever it ignores', async () => {
    const runId = await world.runs.id('killed');
    await world.runs.submit(runId, plan([step('note', 'stayer.note', { name: runId, conduct: ['hang'] })]));
    await eventually('the server has the call', () => linesOf(`${stayed}.calls`).includes(runId), 30_000);
    const server = Number(linesOf(`${stayed}.pids`).at(-1));
    expect(isAlive(server)).toBe(true);
    world.member('executor-1').killWorker();
    await eventually('the server is gone', () => !isAlive(server), 30_000);
    // Nobody has said what an unprotected tool did: that is for a person.
    expect((await world.runs.seen(runId, 'EscalationOpened')).data).toMatchObject({ stepId: 'note' });
  });
});

describe('an executor whose MCP server cannot be had when it starts', () => {
  it('says why, does not give up, and is ready once the server is there', async () => {
    const [tools, script] = [join(folder, 'late.yaml'), join(folder, 'late.mjs')];
    const late = { command: process.execPath, args: [script], version: '1' };
    writeFileSync(tools, JSON.stringify({ mcp: { late } }));
    const executor = world.member('executor-2');
    await executor.launch({ HOLDFAST_TOOLS: tools });
    const log = () => linesOf(executor.plan.logFile).filter((line) => line.includes('the worker cannot start'));
    await eventually('it has tried', () => log().length > 0, 30_000);
    expect(log()[0]).toMatch(/late\.yaml:1:\d+: mcp\.late: .*Cannot find module/);
    expect(executor.running).toBe(true);
    writeFileSync(script, `await import(${JSON.stringify(pathToFileURL(SERVER).href)});`);
    await executor.ready();
  });
});

describe('holdfast tools inspect', () => {
  const holdfast = commandLine([], 'nowhere');
  const ask = (...args: readonly string[]) => holdfast('tools', 'inspect', ...args);

  it('prints a draft on standard output that loads as it is, and the table beside it', async () => {
    const { exit, out, err } = await ask('--name', 'mine', '--', process.execPath, SERVER);
    expect(exit).toBe(0);
    expect(err).toMatch(/^note {5}changes something {2}unprotected {2}verifiable, if look shows/m);
    const draft = join(folder, 'draft.yaml');
    writeFileSync(draft, out);
    const { tools, close } = await loadToolsAndFiles([draft], { logger: silentLogger });
    await close();
    expect(tools.get('mine.look@1')?.policy).toBe('repeatable');
    expect(tools.get('mine.note@1')?.policy).toBe('unprotected');
  });

  it('knows servers by their names in a file, and writes their descriptions', async () => {
    const pin = join(folder, 'stayer.pin.json');
    const { exit, lines } = await ask('book', '--file', file, '--pin', pin, '--json');
    expect(exit).toBe(0);
    expect(lines.find(({ tool }) => tool === 'note')).toMatchObject({ policy: 'verifiable', decided: true });
    expect(lines.at(-1)).toMatchObject({ kind: 'mcp_section', server: 'book' });
    expect(JSON.parse(readFileSync(pin, 'utf8'))).toMatchObject({ server: { name: 'book', version: '7' } });
  });
});
