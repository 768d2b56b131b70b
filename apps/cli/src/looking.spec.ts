import { laneOf } from '@holdfast/events';
import { explainRun, explanationText } from '@holdfast/explain';
import { agentOf, AgentPlay, answers, calls } from '../../../test/support/agents.js';
import { LaneHarness } from '../../../test/support/lane-harness.js';
import { planOf, step } from '../../../test/support/plans.js';
import { namespace } from './namespace.fixture.js';

const LANE = laneOf('run-1', 2);
const plan = planOf(step('pay', 'verifiable'), step('read', 'pure'));
const harness = () => new LaneHarness({ lane: LANE, lanes: 2 });
const paying = () =>
  harness()
    .seat()
    .submit(plan, { labels: { team: 'shop' } })
    .claims('run-1/pay/0');
const doubtful = () => paying().tick(5).dies();
const asking = () =>
  harness()
    .seat()
    .submit(planOf(step('mail', 'unprotected')))
    .claims('run-1/mail/0')
    .dies()
    .tick(3_000);
const of = (lane: LaneHarness) => namespace({ histories: { [LANE]: lane } });
const two = (): LaneHarness => {
  const other = Array.from({ length: 20 }, (_, nth) => `run-${nth + 2}`).find((id) => laneOf(id, 2) === LANE) ?? '';
  return doubtful()
    .tick(10)
    .submit(planOf(step('a', 'pure')), { runId: other })
    .ask('KillRun', { runId: other });
};

describe('runs', () => {
  it('are listed, the latest first, with where they stand', async () => {
    const { run, out } = await of(two());
    expect(await run('runs')).toBe(0);
    const [head, first, second] = out().split('\n');
    expect(head).toMatch(/^run +status +accepted +steps +effects +doubts +asked +waits$/);
    expect(first).toMatch(/^run-\d+ +ended, cancelled/);
    expect(second).toMatch(/^run-1 +recovering .* 0 done, 2 open +0 +1 +0 +pay waits for/);
  });

  it.each([
    [['--status', 'recovering'], ['run-1']],
    [['--status', 'ended,recovering', '--label', 'team=shop'], ['run-1']],
    [['--reason', 'failed'], []],
    [['--text', 'SHOP'], ['run-1']],
    [['--since', '2000-01-01T00:00:00Z', '--label', 'team=other'], []],
    [['--since', '1ms', '--text', 'run-1'], []],
  ])('that fit %j are %j', async (filters, found) => {
    const { run, lines } = await of(two());
    expect(await run('runs', '--json', ...filters)).toBe(0);
    expect(lines().map(({ runId }) => runId)).toEqual(found);
  });

  it('say when there are more, and when there are none', async () => {
    const { run, err, out } = await of(two());
    await run('runs', '--limit', '1');
    expect(err()).toContain('There are more than 1');
    await run('runs', '--text', 'nothing like it');
    expect(out()).toContain('There are no such runs.');
  });

  it.each([
    [['--status', 'happy'], 'give one of running, waiting'],
    [['--since', 'yesterday'], 'give a time such as'],
    [['--limit', '0'], 'a whole number from 1'],
    [['--label', 'x'], 'give it as key=value'],
  ])('refuse %j', async (args, said) => {
    const { run, err } = await of(two());
    expect(await run('runs', ...args)).toBe(2);
    expect(err()).toContain(said);
  });

  it('are not listed as if they were all where a history is not sound', async () => {
    const world = await of(paying());
    world.cluster.partition('holdfast.run-events', 1 - LANE).append([{ key: null, value: Buffer.from('{}') }]);
    expect(await world.run('runs')).toBe(1);
    expect(world.err()).toContain(`history of lane ${1 - LANE}`);
  });
});

describe('one run', () => {
  it('is shown with its labels, use and report', async () => {
    const { run, out } = await of(doubtful().ask('PauseRun', { reason: 'lunch' }));
    expect(await run('get', 'run-1')).toBe(0);
    expect(out()).toMatch(/Run: +run-1 \(lane \d, seq \d+\)\nStatus: +paused/);
    for (const part of [
      'Labels:     team=shop',
      'Open:       1 in doubt',
      'Used:       steps 2, effects 1',
      'holdfast explain run-1',
    ]) {
      expect(out()).toContain(part);
    }
  });

  it('is one JSON object with its program, input and tools', async () => {
    const { run, lines } = await of(asking());
    await run('get', 'run-1', '--json');
    expect(lines()).toMatchObject([
      { kind: 'run', runId: 'run-1', status: 'recovering', questionsOpen: 1, program: { kind: 'plan' }, output: null },
    ]);
  });

  it('is explained in the words that the library has', async () => {
    const lane = doubtful();
    const { run, out, lines } = await of(lane);
    expect(await run('explain', 'run-1')).toBe(0);
    const records = lane.events().filter(({ subject }) => subject === 'run-1');
    const words = explanationText(explainRun(records, Date.now())).split('\n');
    expect(out().split('\n')[0]).toBe(words[0]);
    expect(out()).toContain('pay (attempt 0) is in doubt: its session ended without a word on it.');
    const json = await of(lane);
    await json.run('explain', 'run-1', '--json');
    expect(json.lines()).toMatchObject([{ kind: 'explanation', runId: 'run-1', headline: words[0] }]);
    expect(() => lines()).toThrow();
  });

  it('has a ledger of its effects, and of all calls where they are asked for', async () => {
    const lane = doubtful().tick(2_000);
    lane.judge(lane.doubtSeq('pay'), 'applied', { stepId: 'pay', attemptId: 'run-1/pay/0' });
    const { run, out } = await of(lane);
    expect(await run('effects', 'run-1')).toBe(0);
    expect(out()).toMatch(
      /pay +0 +verifiable@1 +verifiable +applied +#\d+ The doubt about pay \(attempt 0\) is settled/,
    );
    expect(out()).not.toContain('pure@1');
    const all = await of(lane);
    await all.run('effects', 'run-1', '--all', '--json');
    expect(all.lines().map(({ stepId, fate }) => [stepId, fate])).toEqual([
      ['pay', 'applied'],
      ['read', 'under_way'],
    ]);
  });

  it.each(['get', 'explain', 'effects', 'fork'])('that nobody knows is not found by %s', async (command) => {
    const { run, err } = await of(paying());
    expect(await run(command, 'nobody')).toBe(4);
    expect(err()).toContain('there is no run nobody');
  });
});

describe('what others have written', () => {
  it('does nothing to a terminal', async () => {
    const { run, out } = await of(paying().ask('PauseRun', { reason: 'lunch\u001b[2J\u001b]0;owned\u0007\r\u009b1A' }));
    await run('explain', 'run-1');
    expect(out()).toContain('lunch\uFFFD[2J\uFFFD]0;owned\uFFFD\uFFFD\uFFFD1A');
  });
});

describe('the inbox', () => {
  it('has the open questions of all runs, with how to answer', async () => {
    const { run, out } = await of(asking());
    expect(await run('escalations')).toBe(0);
    expect(out()).toContain('run-1 #7 doubt at mail, until');
    expect(out()).toContain('  holdfast answer run-1 --question 7 --choice applied|absent|fail\n1 question open.\n');
  });

  it('is one JSON object for each', async () => {
    const { run, lines } = await of(asking());
    await run('questions', '--json');
    expect(lines()).toMatchObject([{ kind: 'openQuestion', runId: 'run-1', question: { seq: 7, status: 'open' } }]);
  });

  it('says when nobody is asked anything', async () => {
    const { run, out } = await of(paying());
    await run('escalations');
    expect(out()).toBe('Nobody is asked anything.\n');
  });
});

describe('colours', () => {
  const bold = '\u001b[1m';
  it.each([
    [{ tty: true }, true],
    [{ tty: false }, false],
    [{ tty: true, env: { NO_COLOR: '1' } }, false],
    [{ tty: false, env: { FORCE_COLOR: '1' } }, true],
    [{ tty: true, env: { FORCE_COLOR: '0' } }, false],
    [{ tty: true, env: { NO_COLOR: '' } }, true],
  ])('are as the terminal and the environment say: %j', async (settings, coloured) => {
    const { run, out } = await namespace({ histories: { [LANE]: paying() }, ...settings });
    await run('explain', 'run-1');
    expect(out().includes(bold)).toBe(coloured);
    const json = await namespace({ histories: { [LANE]: paying() }, ...settings });
    await json.run('explain', 'run-1', '--json');
    expect(json.out()).not.toContain('\u001b');
  });
});

describe('the transcript of a run', () => {
  const played = () => {
    const replies = [calls(['verifiable', { amount: 1 }], ['nobody', {}]), answers('It is done.')];
    const model = () => replies.shift() ?? answers('');
    return new AgentPlay({ model, call: () => ({ result: 'paid' }) }, { lane: LANE, lanes: 2 }).submit(
      agentOf(['verifiable']),
    ).lane;
  };

  it('shows each turn with its calls and what came back', async () => {
    const { run, out } = await of(played());
    expect(await run('transcript', 'run-1')).toBe(0);
    expect(out().trim().split('\n')).toEqual([
      'agent, turn 1',
      '  verifiable {"amount":1} → paid',
      '  nobody {} not made There is no tool nobody. The tools are: verifiable.',
      'agent, turn 2',
      '  answers: It is done.',
    ]);
  });

  it('is data as well, and says which agents there are', async () => {
    const { run, lines } = await of(played());
    expect(await run('transcript', 'run-1', '--json', '--agent', 'agent')).toBe(0);
    expect(lines()).toMatchObject([
      { kind: 'turn', did: 'called' },
      { kind: 'turn', did: 'answered', answer: 'It is done.' },
    ]);
    const other = await of(played());
    expect(await other.run('transcript', 'run-1', '--agent', 'other')).toBe(0);
    expect(other.out()).toContain('Run run-1 has no agent other; it has agent.');
  });

  it('says when there is none', async () => {
    const { run, out } = await of(paying());
    expect(await run('transcript', 'run-1')).toBe(0);
    expect(out()).toContain('Run run-1 has no agent that has had a turn.');
  });
});
