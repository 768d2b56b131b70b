import { randomBytes } from 'node:crypto';
import { routes } from '@holdfast/api';
import { encode } from '@holdfast/contracts';
import { LIMITS } from '@holdfast/events';
import type { Json, PlanAsk } from '@holdfast/programs';
import { commandLine } from '../e2e/support/command-line.js';
import { from, plan, step } from '../e2e/support/plans.js';
import { gateway, throughAGateway, world } from '../e2e/support/through-gateway.js';
import { recordsOf } from '../e2e/support/topics.js';
import { Onlooker } from './support/onlooker.js';
import { soundEnd, succeededWithEachOnce } from './support/outcomes.js';
import { journalOf } from './support/records.js';

throughAGateway({ HOLDFAST_SHADOW_RATE: '0' });
let onlooker: Onlooker;
beforeAll(async () => {
  onlooker = await Onlooker.of(world);
});

const name = (id: string) => ({ $text: `{input.run}/${id}` });
/** A call that says a value, and a question that holds up what is after it. */
const say = (id: string, args: { readonly [name: string]: Json }, after: string[] = []) =>
  step(id, 'say', { name: name(id), ...args }, { after });
const gate = (...after: string[]): PlanAsk => ({ id: 'gate', after, ask: { question: 'Go on?', choices: ['yes'] } });

/** Everybody who holds something in memory is killed while the question is open. */
const killAll = async (runId: string): Promise<void> => {
  const question = await world.runs.seen(runId, 'EscalationOpened');
  await Promise.all(['executor-1', 'coordinator-1'].map((member) => world.member(member).killWhole()));
  await world.start('executor-1', 'coordinator-1');
  await world.runs.answer(runId, { escalation: question.seq, choice: 'yes' });
};

const deltas = [-1_000, -200, -100, 0, 1, 1_000];
const glyphs = [
  ['text', 'x'],
  ['emoji', '🎉'],
] as const;

const shown = async (runId: string) =>
  (await gateway.until(routes.getRun, { params: { runId } }, ({ status }) => status === 'ended')).output;

describe('case 65: NUL in what a tool returns', () => {
  it('comes back as it was through a kill, from the log and from the database', async () => {
    const text = `${'log line\0'.repeat(50)}and so on`;
    const value = { text, 'key\0of it': 1, written: String.raw`\u0000 is six characters` };
    const runId = await world.runs.id('nul');
    await world.runs.submit(
      runId,
      plan([say('cmd', { value }), gate('cmd'), say('again', { value: from('steps.cmd.value') }, ['gate'])], {
        output: { first: from('steps.cmd.value'), again: from('steps.again.value') },
      }),
    );
    await killAll(runId);
    const { end } = await succeededWithEachOnce(onlooker, runId, ['cmd', 'again']);
    expect(end.output).toEqual({ first: value, again: value });
    expect(await shown(runId)).toEqual({ first: value, again: value });
    const { items } = await gateway.get(routes.getHistory, { params: { runId }, query: { limit: 200 } });
    const { records } = onlooker.history(runId);
    expect(items.map(({ seq }) => seq)).toEqual(records.map(({ lane }) => lane.seq));
  });
});

describe('case 66: half an emoji', () => {
  it('is never made by a limit, and one that a tool makes itself is replaced', async () => {
    const runId = await world.runs.id('half');
    const family = '👩‍👩‍👧';
    // The limit of 8 KiB falls into the middle of these characters, at each of their bytes.
    const items = [
      ...[0, 1, 2, 3].map((shift) => ({ text: `${'x'.repeat(shift)}${'🎉'.repeat(10)}`, times: 300 })),
      { text: family, times: 900 },
    ];
    const complain = step(
      'complain',
      'complain',
      {
        name: name('each'),
        text: from('item.text'),
        times: from('item.times'),
      },
      { retry: { triesMax: 1 } },
    );
    const each = {
      id: 'each',
      forEach: from('input.items'),
      after: ['say'],
      window: 5,
      onFailure: 'continue' as const,
    };
    await world.runs.submit(
      runId,
      plan([say('say', { text: 'a🎉', cutAt: 2 }), { ...each, steps: [complain] }, gate('say')], {
        output: from('steps.say.value'),
      }),
      { input: { items } },
    );
    await killAll(runId);
    const { end, history } = await soundEnd(onlooker, runId);
    expect(end).toMatchObject({ reason: 'succeeded', output: 'a\ufffd' });
    const failures = history.all('StepFailed').map(({ data }) => data.failure.message);
    expect(failures).toHaveLength(items.length);
    for (const message of failures) {
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(LIMITS.evidenceBytes);
      expect(message).toMatch(/… \(\d{5} bytes, sha256 [0-9a-f]{16}\)$/);
    }
    // What a strict reader refuses: half a pair, in whatever is stored and shown.
    const all = JSON.stringify([history.records, await gateway.get(routes.getHistory, { params: { runId } })]);
    expect(all.isWellFormed()).toBe(true);
    expect(all).not.toMatch(/\\ud[89a-f]/i);
  });
});

describe('case 67: a line separator', () => {
  it('splits nothing: not a result, not an argument, not a message, and not an export of one record in a line', async () => {
    const value = 'a\u2028b\u2029c\u0085d\r\ne\nf';
    const runId = await world.runs.id('lines');
    const steps = [
      say('cmd', { value }),
      say('next', { value: { passed: from('steps.cmd.value'), text: { $text: '<{steps.cmd.value}>' } } }),
      step(
        'fails',
        'complain',
        { name: name('fails'), text: value, times: 1 },
        { after: ['next'], retry: { triesMax: 1 } },
      ),
    ];
    await world.runs.submit(runId, plan(steps));
    const { end, history } = await soundEnd(onlooker, runId);
    expect(end).toMatchObject({ reason: 'failed', detail: expect.stringContaining(value) });
    const passed = { passed: value, text: `<${value}>` };
    expect(history.all('StepSucceeded', 'next')).toMatchObject([{ data: { result: { value: passed } } }]);
    expect(history.all('StepFailed', 'fails')).toMatchObject([{ data: { failure: { message: value } } }]);

    const holdfast = commandLine(world.options.brokers, world.namespace);
    const { exit, lines } = await holdfast('replay', runId, '--json');
    expect(exit).toBe(0);
    const told = lines.flatMap((line) => (line['kind'] === 'event' ? [line['record'] ?? line] : []));
    expect(told).toHaveLength(history.records.length);
    expect(JSON.stringify(told)).toContain(JSON.stringify(passed).slice(1, -1));
  });
});

describe('case 69: a big record among small ones', () => {
  /** A result of so many bytes as JSON: what is around the text takes some of them. */
  const sized = (glyph: string, bytes: number) => {
    const around = Buffer.byteLength(JSON.stringify({ receipt: 100_000, value: '' }));
    const each = Buffer.byteLength(glyph);
    const times = Math.floor((bytes - around) / each);
    return { text: glyph, times, rest: 'x'.repeat(bytes - around - times * each) };
  };
  it.each(glyphs)('takes no other down, just under, at and over the limit: %s', async (_, glyph) => {
    const runs = await Promise.all(
      deltas.map(async (delta) => {
        const ids = await world.runs.ids(`big-${randomBytes(2).toString('hex')}`, 20, 0);
        const [big, ...small] = [ids[6] ?? '', ...ids.filter((_id, at) => at !== 6)];
        const { text, times } = sized(glyph, LIMITS.inlineValueBytes + delta);
        await Promise.all([
          world.runs.submit(big, plan([say('cmd', { text, times })])),
          ...small.map((runId) => world.runs.submit(runId, plan([say('cmd', { value: 'small' })]))),
        ]);
        return { delta, big, small };
      }),
    );
    for (const { delta, big, small } of runs) {
      for (const runId of small) await succeededWithEachOnce(onlooker, runId, ['cmd']);
      const { history } = await succeededWithEachOnce(onlooker, big, ['cmd']);
      expect(await world.ledger.calls(`${big}/cmd`)).toHaveLength(1);
      const [ended] = history.all('StepSucceeded');
      expect(['result', 'omitted'].filter((field) => field in (ended?.data ?? {}))).toHaveLength(1);
      // A receipt of another length moves the limit by some bytes.
      if (delta <= -100) expect(ended?.data).toHaveProperty('result');
      if (delta >= 1_000) expect(ended?.data).toMatchObject({ omitted: { omitted: true, bytes: expect.any(Number) } });
    }
  });
});

describe('a request at the limit of the log among small ones', () => {
  const LIMIT = 1_048_576;
  const requestOf = (runId: string, input: Json): { readonly key: string; readonly value: Uint8Array } => {
    const data = {
      requestId: runId,
      runId,
      program: plan([step('add', 'add', { numbers: [1] })]) as unknown as Json,
      input,
    };
    const outer = {
      version: 1,
      id: runId,
      source: 'test',
      subject: runId,
      time: new Date().toISOString(),
      principal: null,
    };
    return { key: runId, value: encode({ ...outer, type: 'SubmitRun', data }) };
  };
  const requestOfSize = (runId: string, glyph: string, bytes: number) => {
    const around = requestOf(runId, '').value.byteLength;
    const times = Math.floor((bytes - around) / Buffer.byteLength(glyph));
    const rest = 'x'.repeat(bytes - around - times * Buffer.byteLength(glyph));
    return requestOf(runId, `${glyph.repeat(times)}${rest}`);
  };

  it.each(glyphs)('takes no other down either, and is sent once and not again: %s', async (_, glyph) => {
    const small: string[] = [];
    const large: string[] = [];
    for (const delta of deltas) {
      const ids = await world.runs.ids(`sent-${randomBytes(2).toString('hex')}`, 20, 0);
      const appended = await Promise.all(
        ids.map(async (runId, at) => {
          const entry = at === 6 ? requestOfSize(runId, glyph, LIMIT + delta) : requestOf(runId, {});
          if (at === 6) expect(entry.value.byteLength).toBe(LIMIT + delta);
          return (await world.log.append(world.names.requests, 0, [entry])).outcome;
        }),
      );
      expect(appended.filter((outcome) => outcome === 'appended').length).toBeGreaterThanOrEqual(19);
      expect(['appended', 'refused']).toContain(appended[6]);
      large.push(ids[6] ?? '');
      small.push(...ids.filter((_id, at) => at !== 6));
    }
    for (const runId of small) expect((await soundEnd(onlooker, runId)).end.reason).toBe('succeeded');
    // Its lane has gone on beyond it: whatever became of it was decided then, and it is there once at most.
    const keys = (await recordsOf(world.log, world.names.requests, 0)).map(({ key }) => key);
    for (const runId of large) {
      expect(keys.filter((key) => key === runId).length).toBeLessThanOrEqual(1);
      expect(onlooker.history(runId).records).toEqual([]);
    }
  });
});

describe('case 72: first time an object, second time text', () => {
  it('is text from the first time on, and what a caller changes later is not in the record', async () => {
    const runId = await world.runs.id('kept');
    const steps = [
      step('ser', 'odd', { name: name('ser'), kept: true }),
      say('branch', { value: { $text: '{steps.ser.d}' } }),
      gate('branch'),
      say('later', { value: from('steps.ser') }, ['gate']),
    ];
    await world.runs.submit(runId, plan(steps, { output: from('steps.ser') }));
    await killAll(runId);
    const stored = { d: '1970-01-01T00:00:00.000Z', z: 0 };
    const { end, history } = await succeededWithEachOnce(onlooker, runId, ['ser', 'branch', 'later']);
    expect(end.output).toEqual(stored);
    expect(history.all('StepSucceeded', 'branch')[0]?.data.result).toMatchObject({ value: stored.d });
    expect(history.all('StepSucceeded', 'later')[0]?.data.result).toMatchObject({ value: stored });
    const rebuilt = await Promise.all([1, 2, 3].map(() => world.client.readRun(runId)));
    for (const { records } of rebuilt) {
      const first = records.find(({ event }) => event.type === 'StepSucceeded' && event.data.stepId === 'ser');
      expect(first?.event.data).toMatchObject({ result: stored });
      expect(JSON.stringify(first)).toContain(`"result":${JSON.stringify(stored)}`);
    }
  });

  it('is refused with its place where it cannot be kept, and the call is not made again', async () => {
    const runId = await world.runs.id('lost');
    await world.runs.submit(runId, plan([step('ser', 'odd', { name: name('ser'), kept: false })]));
    const { data } = await world.runs.seen(runId, 'EscalationOpened');
    expect(data.choices).toContain('applied');
    const said = await journalOf(world, runId, 'AttemptUnknown');
    expect(said).toMatchObject([{ failure: { code: 'invalid_result', message: expect.stringContaining('n is NaN') } }]);
    await world.runs.answer(runId, { stepId: 'ser', choice: 'applied', result: null });
    await succeededWithEachOnce(onlooker, runId, ['ser']);
    expect(await world.ledger.calls(`${runId}/ser`)).toHaveLength(1);
  });
});
