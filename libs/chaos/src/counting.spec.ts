import type { ReplayPolicy } from '@holdfast/events';
import { countRun, EFFECTS_ONCE, type Strictness } from './counting.js';
import { TrackedRun, type Purpose } from './tracked-run.js';
import type { Count } from './witness.js';

type Given = { readonly policy?: ReplayPolicy; readonly times?: number | null; readonly succeeded?: boolean };
type RunGiven = { readonly purpose?: Purpose; readonly end?: TrackedRun['ended']; readonly givenUp?: boolean };

const succeededAt = { reason: 'succeeded', at: 1 } as const;

const counted = (step: Given, more: RunGiven = {}, strictness: Strictness = EFFECTS_ONCE) => {
  const { policy = 'verifiable', times = 1, succeeded = true } = step;
  const run = new TrackedRun('run-1', 'a', more.purpose ?? 'carried');
  run.steps.set('s', { stepId: 's', tool: 't@1', policy, key: 'k', otherKeys: [], args: {}, succeeded });
  run.ended = more.end === undefined ? succeededAt : more.end;
  run.givenUp = more.givenUp ?? false;
  const count: Count = { times, counted: true };
  return countRun(run, new Map([['k', count]]), strictness);
};

describe('counting the effects of a run', () => {
  it.each(['keyed', 'verifiable', 'unprotected'] as const)(
    'finds a duplicate of %s for each one too many',
    (policy) => {
      expect(counted({ policy, times: 1 })).toMatchObject({ effects: 1, duplicates: 0, lost: 0 });
      expect(counted({ policy, times: 3 })).toMatchObject({ effects: 3, duplicates: 2, repeats: 0 });
    },
  );

  it.each(['pure', 'repeatable'] as const)('takes a repeat of %s as allowed, unless told to be strict', (policy) => {
    expect(counted({ policy, times: 3 })).toMatchObject({ duplicates: 0, repeats: 2 });
    const strict = { ...EFFECTS_ONCE, once: new Set([policy]) };
    expect(counted({ policy, times: 3 }, {}, strict)).toMatchObject({ duplicates: 2, repeats: 0 });
  });

  it('finds a duplicate also where an attempt was given another key', () => {
    const run = new TrackedRun('run-1', 'a', 'carried');
    const step = { stepId: 's', tool: 't@1', policy: 'keyed', key: 'k', otherKeys: ['l'], args: {}, succeeded: true };
    run.steps.set('s', { ...step, policy: 'keyed' });
    run.ended = succeededAt;
    const once: Count = { times: 1, counted: true };
    const both = new Map([
      ['k', once],
      ['l', once],
    ]);
    expect(countRun(run, both, EFFECTS_ONCE)).toMatchObject({ effects: 2, duplicates: 1, lost: 0 });
    const other = new Map<string, Count>([
      ['k', { times: 0, counted: true }],
      ['l', once],
    ]);
    expect(countRun(run, other, EFFECTS_ONCE)).toMatchObject({ effects: 1, duplicates: 0, lost: 0 });
  });

  it('finds a loss where a step has succeeded and its effect is nowhere', () => {
    expect(counted({ times: 0 })).toMatchObject({ lost: 1 });
    expect(
      counted({ times: 0, succeeded: false }, { purpose: 'cancelled', end: { reason: 'cancelled', at: 1 } }),
    ).toMatchObject({ lost: 0 });
    expect(counted({ policy: 'pure', times: 0 })).toMatchObject({ lost: 0 });
  });

  it('takes a run as lost that does not end, or ends otherwise than it was meant to', () => {
    expect(counted({}, { end: null })).toMatchObject({ lost: 1 });
    expect(counted({}, { end: { reason: 'failed', at: 1 } })).toMatchObject({ lost: 1 });
    expect(counted({}, { end: { reason: 'failed', at: 1 }, givenUp: true })).toMatchObject({ lost: 0 });
    expect(counted({}, { end: { reason: 'cancelled', at: 1 }, purpose: 'cancelled' })).toMatchObject({ lost: 0 });
    expect(counted({}, { end: null, purpose: 'cancelled' })).toMatchObject({ lost: 1 });
  });

  it('says of how many effects nobody can tell', () => {
    expect(counted({ times: null })).toMatchObject({ effects: 0, untold: 1, lost: 0, duplicates: 0 });
    expect(counted({ policy: 'pure', times: null })).toMatchObject({ untold: 0 });
  });
});
