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
