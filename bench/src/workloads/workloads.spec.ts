import { planSchema } from '@holdfast/programs';
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
