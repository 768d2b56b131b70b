import { evolve, runEvent, type HistoryRecord, type RunEvent, type RunState } from '@holdfast/events';
import { ClientError, RequestRefused, type Answer, type Client } from '@holdfast/sdk';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planOf, step } from '../../../test/support/plans.js';
import { accepted } from '../../../test/support/run-events.js';
import { runCli } from './cli.js';

const record = (event: RunEvent, seq: number): HistoryRecord => ({
  id: `3/${seq}`,
  time: '2026-01-01T00:00:00Z',
  subject: 'run-1',
  principal: null,
  lane: { epoch: 1, seq, owner: 'me', first: seq, size: 1 },
  prev: null,
  event,
});
const report = {
  applied: 0,
  absent: [],
  inDoubt: [],
  running: [],
  conflicts: [],
  totals: { absent: 0, inDoubt: 0, running: 0, conflicts: 0 },
  stepsSucceeded: 1,
  stepsFailed: 0,
};
const waiting = runEvent('RunWaiting', { waitingFor: 'an executor', since: 1 });
const ended = (reason: 'succeeded' | 'failed'): RunEvent =>
  runEvent('RunEnded', { reason, detail: '', output: { ok: true }, report, endedAt: 1 });
const endedRun: RunState = {
  status: 'ended',
  runId: 'run-1',
  requestId: 'q',
  requestHash: 'h',
  end: { reason: 'succeeded', endedAt: 1 },
};

type World = {
  /** The run is what its events make of it; otherwise it has ended. */
  readonly isLive?: boolean;
  readonly events?: readonly RunEvent[];
  readonly refuse?: Partial<Answer>;
  readonly say?: Partial<Answer>;
  readonly fail?: ClientError;
};

const folded = (events: readonly RunEvent[]): RunState | undefined => {
  let state: RunState | undefined;
  events.forEach((event, seq) => (state = evolve(state, event, seq)));
  return state;
};

const world = ({ isLive = false, events = [], refuse, fail, say = {} }: World = {}) => {
  const asked: unknown[] = [];
  const out: string[] = [];
  const err: string[] = [];
  const interruption = new AbortController();
  const ask = async (...request: unknown[]): Promise<Answer> => {
    asked.push(request);
    const reply = { requestId: 'q', runId: 'run-1', lane: 3, seq: 9, outcome: 'accepted' as const, ...say };
    if (fail) throw fail;
    if (refuse) throw new RequestRefused({ ...reply, outcome: 'refused', ...refuse });
    return reply;
  };
  const client: Client = {
    submit: (submission) => ask('submit', submission),
    cancel: (runId, options) => ask('cancel', runId, options),
    cancelRuns: async (cancelling) => {
      asked.push(['cancelRuns', cancelling]);
      const answer = { requestId: 'q', runId: 'lane/0', lane: 0, seq: 9, outcome: 'accepted' as const };
      return { requestId: 'q', answers: [2, 3].map((runs) => ({ ...answer, details: { runs } })) };
    },
    watchCancelRuns: async function* () {
      yield { runs: 5, cancelled: 5, ended: 1 };
    },
    kill: (runId, options) => ask('kill', runId, options),
    pause: (runId, options) => ask('pause', runId, options),
    resume: (runId, options) => ask('resume', runId, options),
    steer: (runId, options) => ask('steer', runId, options),
    answer: (runId, options) => ask('answer', runId, options),
    setTenantBudget: (tenant, options) => ask('tenant', tenant, options),
    readTenant: async () => ({ amounts: { effects: 9 }, committed: { effects: 2 }, runs: {}, queue: [], over: [] }),
    watch: async function* (_, { signal } = {}) {
      for (const [seq, event] of events.entries())
        yield { record: record(event, seq), run: endedRun, lane: 3, offset: seq };
      const over = events.at(-1)?.type === 'RunEnded' || signal?.aborted === true;
      if (!over) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    },
    readRun: async (runId) => ({
      runId,
      lane: 3,
      records: events.map(record),
      run: isLive || events.length === 0 ? folded(events) : endedRun,
      checked: { valid: 10, void: 1, repeated: 2, chain: 'abc' },
    }),
    lanes: async () => 12,
    close: async () => undefined,
  };
  const run = (...args: string[]): Promise<number> =>
    runCli(args, {
      out: { write: (text) => out.push(text) },
      err: { write: (text) => err.push(text) },
      env: {},
      connect: async () => ({ client, close: async () => undefined }),
      interrupted: () => interruption.signal,
    });
  return { run, asked, interruption, out: () => out.join(''), err: () => err.join('') };
};

const planFile = async (): Promise<string> => {
  const file = join(await mkdtemp(join(tmpdir(), 'holdfast-')), 'plan.json');
  await writeFile(file, '{"kind":"plan","name":"My Mission!","steps":[]}');
  return file;
};

describe('submitting', () => {
  it('hands on program, input, labels and deadline', async () => {
    const { run, asked, out } = world();
    const args = ['--run', 'run-1', '--input', '{"n":1}', '--label', 'a=1', '--label', 'b=x=y', '--deadline', '2h'];
    expect(await run('--as', 'ann', 'submit', await planFile(), ...args)).toBe(0);
    expect(asked).toEqual([
      [
        'submit',
        {
          runId: 'run-1',
          program: { kind: 'plan', name: 'My Mission!', steps: [] },
          principal: 'ann',
          input: { n: 1 },
          labels: { a: '1', b: 'x=y' },
          deadlineMs: 7_200_000,
        },
      ],
    ]);
    expect(out()).toBe('Run run-1 is accepted (lane 3, seq 9).\nWatch it with: holdfast watch run-1\n');
  });

  it('says what the run may use, by pairs, JSON or a file, and refuses what is wrong by its name', async () => {
    const { run, asked, err } = world();
    const pairs = ['effects=10', 'calls.pay=3', 'calls.file@1=4', 'money=2.50eur', 'idle=10m', 'steps=unlimited'];
    const given = pairs.flatMap((pair) => ['--budget', pair]);
    expect(await run('submit', await planFile(), ...given, '--tenant', 'acme')).toBe(0);
    const budget = {
      effects: 10,
      calls: { pay: 3, 'file@1': 4 },
      money: { amount: '2.50', currency: 'EUR' },
      idleMs: 600_000,
      steps: 'unlimited',
    };
    expect(asked).toMatchObject([['submit', { budget, tenant: 'acme' }]]);
    expect(await run('submit', await planFile(), '--budget', '{"effects": 0}')).toBe(0);
    for (const wrong of ['steps=-1', 'effects=abc', 'tokensIn=', 'step=1', '{"calls": "3"}']) {
      expect(await run('submit', await planFile(), '--budget', wrong)).toBe(2);
    }
    expect(err()).toContain('the budget cannot be used: steps: ');
    expect(err()).toContain('tokensIn: must be');
  });

  it('says how it goes together with other runs of a key', async () => {
    const { run, asked, err } = world();
    const valid = ['--valid-until', '2027-01-31T12:00:00Z'];
    const key = ['--concurrency-key', 'pr/7', '--on-conflict', 'cancel-older', '--generation', '3'];
    expect(await run('submit', await planFile(), ...key, ...valid)).toBe(0);
    const concurrency = { key: 'pr/7', policy: 'cancel-older' };
    const validUntil = Date.UTC(2027, 0, 31, 12);
    expect(asked).toMatchObject([['submit', { concurrency, generation: 3, validUntil }]]);
    expect(await run('submit', await planFile(), '--on-conflict', 'reject')).toBe(2);
    expect(await run('submit', await planFile(), '--valid-until', 'tomorrow')).toBe(2);
    expect(err()).toContain('Add --concurrency-key.');
  });

  it('names a run without an id after its program', async () => {
    const { run, asked } = world();
    await run('submit', await planFile());
    expect(asked).toMatchObject([['submit', { runId: expect.stringMatching(/^my-mission-.{16,}$/) }]]);
  });

  it('shows every reason of a refusal and what to do', async () => {
    const details = [{ code: 'unknown_tool', at: 'steps[0].tool', message: 'no such tool' }];
    const { run, err, out } = world({ refuse: { code: 'invalid_program', message: 'the program is wrong', details } });
    expect(await run('submit', await planFile())).toBe(2);
    expect(err()).toContain('steps[0].tool: no such tool');
    expect(out()).toBe('');
  });

  it('says what is wrong with a file before it looks for a cluster', async () => {
    const { run, err } = world();
    expect(await run('submit', '/nowhere.json')).toBe(2);
    expect(err()).toContain('there is no such file');
  });
});

describe('watching', () => {
  it('prints events in words and the output, and succeeds with the run', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    expect(await run('watch', 'run-1')).toBe(0);
    expect(out()).toContain('The run waits for an executor.');
    expect(out()).toContain('Output: {"ok":true}');
  });

  it('fails with a run that did not succeed', async () =>
    expect(await world({ events: [ended('failed')] }).run('watch', 'run-1')).toBe(1));

  it('prints JSON lines and nothing else with --json', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    await run('watch', 'run-1', '--json');
    const lines = out().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { kind: 'event', seq: 0, type: 'RunWaiting', words: 'The run waits for an executor.' },
      { kind: 'event', seq: 1, type: 'RunEnded' },
    ]);
  });

  it('ends at Ctrl-C and says that the run goes on', async () => {
    const { run, out, interruption } = world({ events: [waiting] });
    const watching = run('watch', 'run-1');
    setTimeout(() => interruption.abort(), 20);
    expect(await watching).toBe(0);
    expect(out()).toContain('which goes on');
  });

  it('does not wait for a run that nobody knows', async () => {
    const { run, err } = world();
    expect(await run('watch', 'run-1')).toBe(4);
    expect(err()).toContain('there is no run run-1 in namespace holdfast');
  });
});

describe('cancelling and answering', () => {
  it('hands on deadline, reason and mode', async () => {
    const { run, asked } = world();
    expect(await run('cancel', 'run-1', '--within', '30s', '--reason', 'wrong', '--mode', 'drain', '--as', 'ann')).toBe(
      0,
    );
    expect(asked).toEqual([
      ['cancel', 'run-1', { principal: 'ann', mode: 'drain', withinMs: 30_000, reason: 'wrong' }],
    ]);
  });

  it('hands on a choice with its result', async () => {
    const { run, asked } = world();
    const args = ['--escalation', '8', '--choice', 'applied', '--result', '{"id":7}', '--note', 'seen'];
    expect(await run('answer', 'run-1', ...args)).toBe(0);
    expect(asked).toMatchObject([
      ['answer', 'run-1', { escalation: 8, choice: 'applied', result: { id: 7 }, note: 'seen' }],
    ]);
  });

  it('hands on an answer in the form that was asked for, with its proof', async () => {
    const { run, asked, out } = world();
    const args = ['--question', '8', '--value', '{"n":3}', '--proof', '{"ticket":7}', '--as', 'ann'];
    expect(await run('answer', 'run-1', ...args)).toBe(0);
    expect(asked).toMatchObject([
      ['answer', 'run-1', { escalation: 8, choice: 'answer', value: { n: 3 }, proof: { ticket: 7 }, principal: 'ann' }],
    ]);
    expect(out()).toContain('is part of the history');
  });

  it('says who was first, and what to do, when an answer is refused', async () => {
    const message = 'question 8 (pay) was answered approve by ann at 2026-01-01T00:00:00.000Z';
    const { run, err } = world({ refuse: { code: 'already_answered', message } });
    expect(await run('answer', 'run-1', '--question', '8', '--choice', 'reject')).toBe(2);
    expect(err()).toContain(message);
    expect(err()).toContain('The first answer counts');
  });

  it('refuses an answer about nothing, or about two things', async () => {
    expect(await world().run('answer', 'run-1', '--question', '1')).toBe(2);
    expect(await world().run('answer', 'run-1', '--question', '1', '--choice', 'yes', '--value', '1')).toBe(2);
    expect(await world().run('answer', 'run-1', '--choice', 'fail')).toBe(2);
    expect(await world().run('answer', 'run-1', '--choice', 'fail', '--step', 'a', '--escalation', '1')).toBe(2);
    expect(await world().run('answer', 'run-1', '--choice', 'fail', '--step', 'a', '--result', '1')).toBe(2);
  });

  it('cancels many by their labels and shows how far it is', async () => {
    const { run, asked, out } = world();
    const options = ['--within', '30s', '--no-compensate', '--watch', '--as', 'ann'];
    expect(await run('cancel', '--label', 'team=shop', ...options)).toBe(0);
    const cancelling = { principal: 'ann', withinMs: 30_000, compensate: false, labels: { team: 'shop' } };
    expect(asked).toEqual([['cancelRuns', cancelling]]);
    expect(out()).toBe(
      '5 runs on 2 lanes are to be cancelled, some at a time. Once a run is, it starts nothing.\n5 of 5 runs cancelled, 1 over.\n',
    );
  });

  it('cancels nothing without a run or a label, or with both', async () => {
    for (const args of [[], ['run-1', '--label', 'a=b'], [''], ['', '--label', 'a=b']]) {
      const { run, asked } = world();
      expect([await run('cancel', ...args), asked]).toEqual([2, []]);
    }
  });

  it('says of a cancel that came before its run that nothing of that name is known yet', async () => {
    const say = { code: 'remembered', message: 'no run run-1 is known yet; it is cancelled if it comes' };
    const { run, out } = world({ say });
    expect(await run('cancel', 'run-1')).toBe(0);
    expect(out()).toBe('Accepted: no run run-1 is known yet; it is cancelled if it comes (lane 3, seq 9).\n');
  });

  it('says who was first, a cancel or the end', async () => {
    const say = { outcome: 'unchanged', code: 'run_ended', message: 'the run has ended already: succeeded' } as const;
    const { run, out } = world({ say });
    expect(await run('cancel', 'run-1')).toBe(0);
    expect(out()).toBe('Nothing is changed: the run has ended already: succeeded (lane 3, seq 9).\n');
  });

  it('tells a run that is not there from other refusals', async () => {
    expect(await world({ refuse: { code: 'unknown_run' } }).run('cancel', 'run-1')).toBe(4);
    expect(await world({ refuse: { code: 'run_ended' } }).run('cancel', 'run-1')).toBe(2);
  });

  it('says when nobody answers', async () => {
    const { run, err } = world({ fail: new ClientError('no_answer', 'nobody answered') });
    expect(await run('cancel', 'run-1')).toBe(3);
    expect(err()).toContain('nobody answered');
  });
});

describe('steering', () => {
  it.each(['kill', 'pause', 'resume'])('hands on the reason of a %s', async (verb) => {
    const { run, asked } = world();
    expect(await run(verb, 'run-1', '--reason', 'the office is closed', '--as', 'ann')).toBe(0);
    expect(asked).toEqual([[verb, 'run-1', { principal: 'ann', reason: 'the office is closed' }]]);
  });

  it('hands on a new deadline and new windows', async () => {
    const { run, asked } = world();
    expect(await run('steer', 'run-1', '--deadline', '2h', '--window', 'each=8', '--window', 'a.b=1')).toBe(0);
    expect(asked).toMatchObject([['steer', 'run-1', { deadlineMs: 7_200_000, windows: { each: 8, 'a.b': 1 } }]]);
  });

  it('refuses what changes nothing or is no window', async () => {
    expect(await world().run('steer', 'run-1')).toBe(2);
    expect(await world().run('steer', 'run-1', '--window', 'each=0')).toBe(2);
    expect(await world().run('steer', 'run-1', '--window', 'each=many')).toBe(2);
  });
});

describe('replaying', () => {
  it('prints history, state and what was verified', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    expect(await run('replay', 'run-1')).toBe(0);
    expect(out()).toContain('State: ended, succeeded.');
    expect(out()).toContain('Verified: 10 records of lane 3, 2 of them of this run');
  });

  it('knows no run without records', async () => {
    expect(await world().run('replay', 'run-1')).toBe(4);
    expect(await world().run('escalations', 'run-1')).toBe(4);
  });
});

describe('questions', () => {
  const opened = runEvent('EscalationOpened', {
    stepId: 'pay',
    attempt: 0,
    kind: 'approval',
    doubtSeq: null,
    question: 'May it?',
    choices: ['approve', 'reject'],
    expiresAt: Date.UTC(2026, 0, 2),
    openedAt: 0,
    context: { tool: 'verifiable@1', args: { to: 'A' } },
    assignees: [
      { to: 'ann', afterMs: 0 },
      { to: 'bob', afterMs: 10 ** 14 },
    ],
    approves: { tool: 'verifiable@1', toolHash: 'h', argsHash: 'a' },
  });
  const asked = [accepted('verifiable', planOf(step('pay', 'verifiable'))), opened];

  it('are shown with id, kind, context, choices, who is asked and until when, and how to answer', async () => {
    const { run, out } = world({ events: asked, isLive: true });
    expect(await run('questions', 'run-1')).toBe(0);
    expect(out()).toBe(
      [
        '#1 approval at pay (attempt 0), until 2026-01-02T00:00:00.000Z: May it? [approve | reject]',
        '  shown: {"tool":"verifiable@1","args":{"to":"A"}}',
        '  asked: ann; then bob after 100000000000000 ms',
        '  if nobody answers: the run ends',
        '  holdfast answer run-1 --question 1 --choice approve|reject',
        '',
      ].join('\n'),
    );
  });

  it('are one line each for machines, under the old name of the command as well', async () => {
    const { run, out } = world({ events: asked, isLive: true });
    expect(await run('escalations', 'run-1', '--json')).toBe(0);
    const { question } = JSON.parse(out()) as { question: object };
    expect(question).toMatchObject({ seq: 1, kind: 'approval', context: { args: { to: 'A' } }, stepId: 'pay' });
  });

  it('are said to be none where there are none', async () => {
    const { run, out } = world({ events: [waiting, ended('succeeded')] });
    expect(await run('questions', 'run-1')).toBe(0);
    expect(out()).toBe('Nobody is asked anything about run run-1.\n');
  });
});

describe('the command line', () => {
  it.each([[], ['submit'], ['bogus'], ['cancel', 'r', '--within', '30'], ['watch', 'a b'.repeat(200), '--nope']])(
    'refuses %j',
    async (...args) => expect(await world().run(...(args.flat() as string[]))).toBe(2),
  );

  it('tells its version', async () => {
    const { run, out } = world();
    expect(await run('--version')).toBe(0);
    expect(out()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('shows help with examples and exit codes', async () => {
    const { run, out } = world();
    expect(await run('--help')).toBe(0);
    expect(out()).toContain('Examples:');
    expect(out()).toContain('Exit codes:');
  });
});

describe('a tenant', () => {
  it('is told what it may use, and asked what is left of it', async () => {
    const { run, asked, out } = world();
    expect(await run('--as', 'ann', 'tenant', 'acme', '--budget', 'effects=9')).toBe(0);
    expect(asked).toEqual([['tenant', 'acme', { budget: { effects: 9 }, principal: 'ann' }]]);
    expect(await run('tenant', 'acme')).toBe(0);
    expect(out()).toContain('Left: 7 effects.');
    expect(await run('tenant', 'acme', '--budget', 'depth=1')).toBe(2);
    expect(await run('tenant', 'a/b', '--budget', 'effects=1')).toBe(2);
  });
});
