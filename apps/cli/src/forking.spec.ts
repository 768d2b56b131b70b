import { laneOf } from '@holdfast/events';
import { LaneHarness } from '../../../test/support/lane-harness.js';
import { planOf, step } from '../../../test/support/plans.js';
import { world } from './cli.fixture.js';
import { namespace } from './namespace.fixture.js';

const LANE = laneOf('run-1', 2);
const plan = planOf(step('pay', 'verifiable'), step('mail', 'unprotected', { after: ['pay'] }));
const failed = () =>
  new LaneHarness({ lane: LANE, lanes: 2 })
    .seat()
    .submit(plan)
    .claims('run-1/pay/0')
    .say('AttemptSucceeded', { step: 'pay' })
    .claims('run-1/mail/0')
    .say('AttemptFailed', { step: 'mail' }, { retry: 'never' });

describe('forking', () => {
  it('hands on what is to be kept, done again and repeated', async () => {
    const { run, asked, out } = world();
    const args = ['--from', 'pay', '--run', 'run-2', '--repeat', 'pay', '--repeat', 'file[*].write', '--label', 'a=b'];
    expect(await run('--as', 'ann', 'fork', 'run-1', ...args)).toBe(0);
    expect(asked).toEqual([
      [
        'fork',
        'run-1',
        { runId: 'run-2', from: 'pay', repeat: ['pay', 'file[*].write'], principal: 'ann', labels: { a: 'b' } },
      ],
    ]);
    expect(out()).toContain('Run run-2 takes over what run run-1 has done');
  });

  it('is only shown with --plan, and says what would have to be named', async () => {
    const { run, out } = await namespace({ histories: { [LANE]: failed() } });
    expect(await run('fork', 'run-1', '--plan')).toBe(0);
    expect(out()).toContain('Kept: 1 step (pay).');
    expect(out()).toMatch(/mail +unprotected@1 +unprotected +none +free +nothing of it was done/);
    expect(await run('fork', 'run-1', '--from', 'pay', '--plan')).toBe(2);
    expect(out()).toMatch(/pay +verifiable@1 +verifiable +applied +TO BE NAMED/);
    expect(out()).toContain('REFUSED so: 1 effect would or might be made twice: pay');
    expect(await run('fork', 'run-1', '--from', 'pay', '--repeat', 'pay', '--plan')).toBe(0);
  });

  it('is refused where an effect would be made twice that nobody has named', async () => {
    const { run, err } = await namespace({ histories: { [LANE]: failed() } });
    expect(await run('fork', 'run-1', '--from', 'pay', '--run', 'run-2')).toBe(2);
    expect(err()).toContain('would or might be made twice');
    expect(err()).toContain('named with --repeat');
  });

  it('refuses the id of the old run, and ids that are none', async () => {
    expect(await world().run('fork', 'run-1', '--run', 'run-1')).toBe(2);
    expect(await world().run('fork', 'run-1', '--run', 'a b')).toBe(2);
  });

  it('shows its plan as one JSON object', async () => {
    const { run, lines } = await namespace({ histories: { [LANE]: failed() } });
    await run('fork', 'run-1', '--plan', '--json');
    expect(lines()).toMatchObject([{ kind: 'forkPlan', runId: 'run-1', kept: ['pay'], refused: null }]);
  });
});
