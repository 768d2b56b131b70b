import { Briefly } from './briefly.js';

describe('what is found out once for all who ask within a moment', () => {
  let now = 0;
  const clock = { monotonic: () => now };

  it('is the same until the moment is over', async () => {
    let asked = 0;
    const counted = new Briefly(async () => (asked += 1), clock, 500);
    expect(await Promise.all([counted.get(), counted.get()])).toEqual([1, 1]);
    now += 499;
    expect(await counted.get()).toBe(1);
    now += 1;
    expect(await counted.get()).toBe(2);
  });

  it('is looked for once, however long that takes; the moment begins with the answer', async () => {
    const answers: (() => void)[] = [];
    const counted = new Briefly(() => new Promise<void>((resolve) => answers.push(resolve)), clock, 500);
    const first = counted.get();
    now += 5_000;
    const second = counted.get();
    expect(answers).toHaveLength(1);
    answers[0]?.();
    await Promise.all([first, second]);
    now += 499;
    await counted.get();
    expect(answers).toHaveLength(1);
  });

  it('is asked anew after a failure', async () => {
    let asked = 0;
    const counted = new Briefly(
      () => ((asked += 1) === 1 ? Promise.reject(new Error('away')) : Promise.resolve(asked)),
      clock,
      500,
    );
    await expect(counted.get()).rejects.toThrow('away');
    expect(await counted.get()).toBe(2);
  });
});
