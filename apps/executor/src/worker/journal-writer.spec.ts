import { decode, journalKind, type JournalRecord } from '@holdfast/contracts';
import { batchBytes, type Appended, type Log } from '@holdfast/log';
import { silentLogger } from '@holdfast/sdk';
import { ManualTimer } from '../../../../test/support/manual-timer.js';
import { JournalWriter } from './journal-writer.js';

const of = (step: string) => ({
  attemptId: `r/${step}/0`,
  runId: 'r',
  stepId: step,
  attempt: 0,
  session: 'S',
  deadline: 1,
});
const times = { startedAt: 1, endedAt: 2 };
const failed = (step: string, message: string) =>
  ({
    type: 'AttemptFailed',
    data: { ...of(step), failure: { code: 'x', message }, retry: 'never', ...times },
  }) as const;
const succeeded = (step: string, result: string) =>
  ({ type: 'AttemptSucceeded', data: { ...of(step), result, ...times } }) as const;

const BYTES_MAX = 10_000;
const id = (step: string): string => `r/${step}/0`;

/** A writer before a log that says what it is told to say first, and then takes what is not too large. */
const world = (...first: Appended[]) => {
  const timer = new ManualTimer();
  const done: string[] = [];
  const batches: string[][] = [];
  const words: JournalRecord[] = [];
  const append: Log['append'] = (_topic, _partition, records) => {
    const said = records.flatMap(({ value }) => {
      const decoded = decode(journalKind, value);
      return decoded.ok ? [decoded.message] : [];
    });
    batches.push(said.map(({ data }) => data.stepId));
    const bytes = batchBytes(records);
    const told = first.shift();
    if (told !== undefined) return Promise.resolve(told);
    if (bytes > BYTES_MAX)
      return Promise.resolve({ outcome: 'refused', reason: 'too_large', detail: `${bytes} bytes` });
    words.push(...said);
    return Promise.resolve({ outcome: 'appended', offset: words.length, at: 1 });
  };
  const ports = { log: { append } as Log, topic: 'journal', timer, logger: silentLogger, now: () => 5 };
  const writer = new JournalWriter(ports, (ids) => done.push(...ids));
  return { writer, timer, done, batches, words };
};

describe('writing the journal', () => {
  it('says a word that is too large in a smaller way, and writes those behind it', async () => {
    const { writer, timer, done, words } = world();
    writer.write(0, id('a'), failed('a', 'short'));
    writer.write(0, id('b'), failed('b', 'x'.repeat(20_000)));
    writer.write(0, id('c'), succeeded('c', 'y'.repeat(20_000)));
    writer.write(0, id('d'), { type: 'AttemptProgressed', data: { ...of('d'), progress: 'z'.repeat(20_000) } });
    writer.write(0, id('e'), failed('e', 'short'));
    await timer.pass(10);
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e'].map(id));
    expect(words.map(({ type, data }) => `${type} ${data.stepId}`)).toEqual([
      'AttemptFailed a',
      'AttemptFailed b',
      'AttemptSucceeded c',
      'AttemptFailed e',
    ]);
    expect(words[1]?.data).toMatchObject({ failure: { message: expect.stringContaining('cut to what the journal') } });
    expect(words[2]?.data).toMatchObject({ omitted: { omitted: true, bytes: 20_002 } });
    expect(words[2]?.data).not.toHaveProperty('result');
  });

  it.each(['invalid', 'unknown_partition'] as const)(
    'says an outcome again for as long as it is refused as %s',
    async (reason) => {
      const no = { outcome: 'refused', reason, detail: 'no right to write' } as const;
      const { writer, timer, done, words } = world(no, no, no);
      writer.write(0, id('a'), failed('a', 'short'));
      await timer.pass(200);
      expect([done, words]).toEqual([[], []]);
      await timer.pass(1_000);
      expect([done, words.length]).toEqual([[id('a')], 1]);
    },
  );

  it('says even the smallest word again when it is too large', async () => {
    const no = { outcome: 'refused', reason: 'too_large', detail: '' } as const;
    const { writer, timer, done } = world(no, no, no);
    writer.write(0, id('a'), failed('a', 'short'));
    await timer.pass(50);
    expect(done).toEqual([]);
    await timer.pass(1_000);
    expect(done).toEqual([id('a')]);
  });

  it('goes back to batches when those that were too large together are written', async () => {
    const { writer, timer, batches } = world();
    writer.write(0, id('a'), failed('a', 'x'.repeat(6_000)));
    writer.write(0, id('b'), failed('b', 'x'.repeat(6_000)));
    await Promise.resolve();
    for (const step of ['c', 'd', 'e']) writer.write(0, id(step), failed(step, 'short'));
    await timer.pass(10);
    expect(batches).toEqual([['a', 'b'], ['a'], ['b'], ['c', 'd', 'e']]);
  });

  it('waits no longer after a failure than others do once the log has answered', async () => {
    const lost = { outcome: 'unknown', detail: '' } as const;
    const { writer, timer, done } = world(lost, lost, lost, { outcome: 'appended', offset: 0, at: 1 }, lost);
    writer.write(0, id('a'), failed('a', 'short'));
    await timer.pass(700);
    writer.write(0, id('b'), failed('b', 'short'));
    await timer.pass(110);
    expect(done).toEqual([id('a'), id('b')]);
  });
});
