import { planSchema } from '@holdfast/programs';
import { cancel } from './cancel.js';
import { fanout } from './fanout.js';
import { sequential } from './sequential.js';
import { small } from './small.js';

describe.each([
  ['sequential', sequential, 1, 5],
  ['fanout', fanout, 1, 15],
  ['small', small, 5, 15],
])('the workload %s', (name, make, runs, steps) => {
  const workload = make({ tag: 'a', count: 5, window: 2 });

  it('is made of programs that can be submitted', () =>
    expect(workload.runs.map(({ program }) => planSchema.safeParse(program).success)).toStrictEqual(
      Array.from({ length: runs }, () => true),
    ));

  it('knows its steps and effects', () => {
    expect(workload).toMatchObject({ name, steps });
    expect(new Set(workload.effects).size).toBe(5);
  });

  it('gives each run an id of its own', () => expect(new Set(workload.runs.map(({ runId }) => runId)).size).toBe(runs));
});

describe('the workload cancel', () => {
  const { runs, cancelAfter, effects } = cancel({ tag: 'a', count: 3, window: 32 });

  it('cancels each of its runs long before its end', () => {
    expect(runs.map(({ program }) => planSchema.safeParse(program).success)).toStrictEqual([true, true, true]);
    expect(effects.length / runs.length).toBeGreaterThan(2 * (cancelAfter ?? Infinity));
  });

  it('has effects that tell its runs apart', () => expect(new Set(effects).size).toBe(effects.length));
});
