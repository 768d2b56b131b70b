import { WatchedClock } from './watched-clock.js';

const SKEW_MS = 1_000;

/** A machine whose wall clock can be set while time goes on. */
class Machine {
  wall = 1_000_000;
  mono = 50;
  readonly clock: WatchedClock;

  constructor(strikesMax?: number) {
    const raw = { now: () => this.wall, monotonic: () => this.mono };
    this.clock = new WatchedClock(raw, SKEW_MS, strikesMax);
  }

  wait(ms: number): void {
    this.wall += ms;
    this.mono += ms;
  }

  /** An append that takes `ms`; the broker's clock is ahead of this one's by `aheadMs`. */
  append(aheadMs: number, ms = 10, during: () => void = () => undefined): number | null {
    const sent = this.clock.read();
    this.wait(ms / 2);
    const at = this.wall + aheadMs;
    during();
    this.wait(ms / 2);
    return this.clock.note(at, sent, this.clock.read());
  }
}

describe('watching the clock', () => {
  it('tells how far it is off when it was off several times in a row', () => {
    const machine = new Machine();
    expect(machine.append(5_000)).toBeNull();
    expect(machine.append(5_000)).toBeNull();
    expect(machine.append(5_000)).toBe(-4_995);
    expect(machine.clock.isBorneOut).toBe(false);
  });

  it('takes a slow answer for no proof', () => {
    const machine = new Machine(1);
    expect(machine.append(5_000, 20_000)).toBeNull();
    machine.append(0, 1_001);
    expect(machine.clock.isBorneOut).toBe(false);
    machine.append(0, 1_000);
    expect(machine.clock.isBorneOut).toBe(true);
  });

  it('is not made to follow a clock by a slow answer', () => {
    const machine = new Machine();
    machine.append(0);
    machine.wall += 4_000;
    machine.append(-4_000, 10_000);
    expect(machine.clock.now()).toBe(machine.wall - 4_000 + SKEW_MS);
  });

  it.each(['the machine runs', 'the machine is suspended'])('is borne out for a minute only, while %s', (while_) => {
    const machine = new Machine();
    expect([machine.clock.isBorneOut, machine.clock.wantsProof]).toEqual([false, true]);
    machine.append(0);
    const pass = (ms: number) => (while_ === 'the machine runs' ? machine.wait(ms) : void (machine.wall += ms));
    pass(19_999 - 5);
    expect([machine.clock.isBorneOut, machine.clock.wantsProof]).toEqual([true, false]);
    pass(40_000);
    expect([machine.clock.isBorneOut, machine.clock.wantsProof]).toEqual([true, true]);
    pass(6);
    expect(machine.clock.isBorneOut).toBe(false);
  });

  it('takes an answer across which the clock was set for no proof', () => {
    const machine = new Machine(1);
    expect(machine.append(0, 10, () => (machine.wall += 3_600_000))).toBeNull();
    expect(machine.clock.isBorneOut).toBe(false);
  });

  it('starts again after one that was right', () => {
    const machine = new Machine(2);
    expect([machine.append(5_000), machine.append(0), machine.append(5_000)]).toEqual([null, null, null]);
    expect(machine.clock.isBorneOut).toBe(true);
  });
});

describe('a watched clock', () => {
  it('goes with the machine', () => {
    const machine = new Machine();
    machine.wait(86_400_000);
    expect([machine.clock.now(), machine.clock.monotonic()]).toEqual([machine.wall, machine.mono]);
  });

  it.each([3_600_000, -3_600_000])('that is set by %s ms is followed by the allowed skew only', (ms) => {
    const machine = new Machine();
    machine.append(0);
    const before = machine.clock.now();
    machine.wall += ms;
    machine.wait(500);
    expect(machine.clock.now()).toBe(before + 500 + Math.sign(ms) * SKEW_MS);
  });

  it('is followed again once the broker bears it out, as after a machine was suspended', () => {
    const machine = new Machine();
    machine.append(0);
    machine.wall += 3_600_000;
    machine.append(0);
    expect(machine.clock.now()).toBe(machine.wall);
  });
});
