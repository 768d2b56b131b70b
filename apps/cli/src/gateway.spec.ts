import { gateway, namespace } from './namespace.fixture.js';

const summary = {
  runId: 'run-1',
  lane: 0,
  seq: 9,
  status: 'running',
  reason: null,
  labels: {},
  tenant: null,
  parentRunId: null,
  acceptedAt: 1,
  updatedAt: 2,
  deadlineAt: 3,
  endedAt: null,
  principal: null,
  stepsOpen: 1,
  stepsSucceeded: 2,
  stepsFailed: 0,
  effectsApplied: 2,
  doubtsOpen: 0,
  questionsOpen: 0,
  waitingFor: null,
};
const problem = (status: number, detail: string) =>
  [status, { type: 'about:blank', title: 'No', status, detail, code: 'x', advice: 'Do otherwise.' }] as const;
const through = async (answers: Parameters<typeof gateway>[0], ...args: string[]) => {
  const { fetch, asked } = gateway(answers);
  const world = await namespace({ prepared: false, fetch });
  const exit = await world.run('--gateway', 'http://127.0.0.1:8080/', '--as', 'ann', ...args);
  return { ...world, exit, asked };
};

describe('through a gateway', () => {
  it('runs are listed page by page, with the filters as its query', async () => {
    const page = { items: [summary], next: null };
    const filters = ['--status', 'running', '--label', 'a=b', '--text', 'x', '--limit', '1'];
    const { exit, asked, lines } = await through({ 'GET /v1/runs': [200, page] }, 'runs', ...filters, '--json');
    expect([exit, lines()]).toEqual([0, [{ kind: 'run', ...summary }]]);
    expect(asked.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:8080/v1/runs?status=running&label=a%3Db&text=x&limit=2',
    ]);
    expect(asked[0]?.init.headers).toMatchObject({ 'x-holdfast-principal': 'ann' });
  });

  it('the ledger is made of the history', async () => {
    const data = { stepId: 'pay', attempt: 0, tool: 'pay@1', policy: 'verifiable', settling: false, scheduledAt: 1 };
    const more = { queue: 'q', partition: 0 };
    const entry = { seq: 3, offset: 3, at: 1, type: 'StepScheduled', stepId: 'pay', principal: null, words: '' };
    const page = { items: [{ ...entry, data: { ...data, ...more } }], next: null };
    const { lines } = await through({ 'GET /v1/runs/run-1/history': [200, page] }, 'effects', 'run-1', '--json');
    expect(lines()).toMatchObject([{ kind: 'effect', stepId: 'pay', fate: 'under_way', seq: 3 }]);
  });

  it.each([
    ['get', problem(404, 'there is no run run-1'), 4, 'there is no run run-1\n  Do otherwise.'],
    ['get', problem(400, 'that is wrong'), 2, 'that is wrong'],
    ['get', problem(503, 'no broker answers'), 3, 'no broker answers'],
    ['get', [200, { other: 1 }] as const, 3, 'in a form that is not known here'],
    ['get', [502, '<html>'] as const, 3, 'is no gateway of Holdfast'],
  ])('%s of %j ends with %d', async (command, answer, exit, said) => {
    const found = await through({ 'GET /v1/runs/run-1': answer }, command, 'run-1');
    expect([found.exit, found.err()]).toEqual([exit, expect.stringContaining(said)]);
  });

  it.each(['127.0.0.1:8080', 'nonsense', 'ftp://x'])('at %s is none', async (url) => {
    const { run, err } = await namespace();
    expect(await run('--gateway', url, 'runs')).toBe(2);
    expect(err()).toContain('is no address of a gateway');
  });

  it('that does not answer there is a word on what to do', async () => {
    const world = await namespace({
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })),
    });
    expect(await world.run('--gateway', 'http://127.0.0.1:1', 'runs')).toBe(3);
    expect(world.err()).toContain('the gateway at http://127.0.0.1:1 does not answer: ECONNREFUSED');
  });
});

describe('projections', () => {
  const item = { source: 'holdfast.run-events', partition: 0, nextOffset: 7, end: 9, lagRecords: 2, updatedAt: 1 };
  const shadow = (differs: object | null) => ({
    items: [item],
    shadow: { rounds: 1, rowsCompared: 5, at: { lane: 0, offset: 5 }, differs },
  });

  it('are shown with how far they are', async () => {
    const { exit, out } = await through({ 'GET /v1/projections': [200, shadow(null)] }, 'projections', 'status');
    expect(exit).toBe(0);
    expect(out()).toMatch(/holdfast\.run-events\/0 +7 +9 +2 /);
    expect(out()).toContain('Compared with the log: 5 rows, 1 times a whole lane.');
  });

  it('that differ from the log are no success', async () => {
    const answer = shadow({ lane: 3, offset: 17, detail: 'runs of run-1' });
    const { exit, out } = await through({ 'GET /v1/projections': [200, answer] }, 'projections', 'status');
    expect([exit, out()]).toEqual([1, expect.stringContaining('first in lane 3 at offset 17: runs of run-1')]);
  });

  it('are made anew only by who says so', async () => {
    const answers = { 'POST /v1/projections/rebuild': [202, { outcome: 'begun', lanes: 2 }] } as const;
    const refused = await through(answers, 'projections', 'rebuild');
    expect([refused.exit, refused.asked]).toEqual([2, []]);
    const { exit, lines } = await through(answers, 'projections', 'rebuild', '--yes', '--json');
    expect([exit, lines()]).toEqual([0, [{ kind: 'rebuild', outcome: 'begun', lanes: 2 }]]);
  });

  it.each([
    [['projections', 'status'], 'projections'],
    [['mcp'], 'the tools for models'],
  ])('need a gateway, as %j does', async (args, what) => {
    const { run, err } = await namespace();
    expect(await run(...args)).toBe(2);
    expect(err()).toContain(`only a gateway has ${what}`);
  });
});
