import { runEvent } from '@holdfast/events';
import { ClientError } from '@holdfast/sdk';
import { planOf, step } from '../../../test/support/plans.js';
import { accepted } from '../../../test/support/run-events.js';
import { ended, waiting, world } from './cli.fixture.js';

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

  it.each([
    ['refused', 2, 'lane 0: the request was refused'],
    ['pending', 3, '1 lanes have not answered request q'],
  ] as const)('says what is known of a cancel of many where one lane is %s', async (lane, code, why) => {
    const { run, out, err } = world({ lane });
    expect(await run('cancel', '--label', 'team=shop', '--watch')).toBe(code);
    expect(out()).toContain('5 runs on 2 lanes are to be cancelled');
    expect(err()).toContain(why);
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
  const begun = accepted('verifiable', planOf(step('pay', 'verifiable')));
  const asked = [begun, opened];

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

  it('about a budget say how it is raised', async () => {
    const about = { stepId: '*', kind: 'budget' as const, choices: ['raise', 'end'] };
    const { context: _, approves: __, ...question } = opened.data;
    const { run, out } = world({
      events: [begun, runEvent('EscalationOpened', { ...question, ...about })],
      isLive: true,
    });
    expect(await run('questions', 'run-1')).toBe(0);
    expect(out()).toContain('answer run-1 --question 1 --choice raise|end (raise with --budget KEY=VALUE)');
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
