import { SkewWatch } from './skew-watch.js';

describe('watching the clock', () => {
  it('tells how far it is off when it was off several times in a row', () => {
    const watch = new SkewWatch(1_000);
    expect(watch.note(5_000, 100, 110)).toBeNull();
    expect(watch.note(5_100, 200, 210)).toBeNull();
    expect(watch.note(5_200, 300, 310)).toBe(4_890);
  });

  it('takes a slow answer for no proof', () => {
    const watch = new SkewWatch(1_000, 1);
    expect(watch.note(5_000, 4_990, 60_000)).toBeNull();
  });

  it('starts again after one that was right', () => {
    const watch = new SkewWatch(1_000, 2);
    watch.note(5_000, 100, 110);
    watch.note(120, 118, 121);
    expect(watch.note(5_000, 130, 140)).toBeNull();
  });
});
