import { Lag } from './lag.js';

describe('the lag of a reader', () => {
  it('is how much is not done, and how old the oldest of it is', () => {
    const lag = new Lag();
    lag.read(10, 30, 1_000);
    lag.read(30, 30, 4_000);
    expect(lag.at(0, 6_000)).toEqual({ records: 30, seconds: 5 });
    expect(lag.at(10, 6_000)).toEqual({ records: 20, seconds: 2 });
    expect(lag.at(30, 6_000)).toEqual({ records: 0, seconds: 0 });
  });

  it('goes on growing in age however much is read on top', () => {
    const lag = new Lag();
    for (let next = 1; next <= 5_000; next += 1) lag.read(next, next, next);
    expect(lag.at(0, 61_001)).toEqual({ records: 5_000, seconds: 61 });
  });
});
