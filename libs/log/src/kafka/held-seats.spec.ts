import { HeldSeats } from './held-seats.js';

/** Long enough for a test to look; where time has to pass, a short trust is waited for by its own call. */
const LONG_MS = 60_000;

describe('HeldSeats', () => {
  let told: number[][];
  let seats: HeldSeats;
  let onTold: () => void;

  const make = (trustMs: number): HeldSeats => {
    told = [];
    onTold = () => undefined;
    seats = new HeldSeats(trustMs, (held) => {
      told.push([...held]);
      onTold();
    });
    return seats;
  };

  afterEach(() => seats.close());

  it('holds nothing before the group has spoken', () => {
    make(LONG_MS);
    expect([seats.isFresh(), seats.held().size, seats.claim()]).toEqual([false, 0, { held: [], fresh: false }]);
  });

  it('tells each change of the set once', () => {
    make(LONG_MS);
    seats.assigned([2, 0]);
    seats.heard();
    seats.assigned([0, 2]);
    seats.assigned([1]);
    seats.assigned([]);
    expect(told).toEqual([[0, 2], [1], []]);
  });

  it('gives up by its own clock when the group is silent, and still asks for the same seats', async () => {
    make(20);
    const silent = new Promise<void>((resolve) => {
      seats.assigned([3]);
      onTold = resolve;
    });
    await silent;
    expect(told).toEqual([[3], []]);
    expect([seats.held().size, seats.claim()]).toEqual([0, { held: [3], fresh: false }]);
    seats.heard();
    expect(told).toEqual([[3], [], [3]]);
  });

  it('holds nothing after it was closed', () => {
    make(LONG_MS);
    seats.assigned([1]);
    seats.close();
    seats.heard();
    expect([told, seats.held().size, seats.isFresh()]).toEqual([[[1], []], 0, false]);
  });
});
