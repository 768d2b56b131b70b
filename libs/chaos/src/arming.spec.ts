import { mkdtempSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Arming } from './arming.js';

const world = () => {
  const arming = new Arming(join(mkdtempSync(join(tmpdir(), 'arming-')), 'armed'));
  const take = (pid: number, parentPid: number): void => renameSync(arming.file, `${arming.file}.${pid}.${parentPid}`);
  return { arming, take };
};

describe('arming a fleet', () => {
  it('says what is to happen where, in the words of a failpoint', () => {
    const { arming } = world();
    arming.arm({ point: 'executor.call.after', nth: 3, action: 'kill' });
    expect(readFileSync(arming.file, 'utf8')).toBe('executor.call.after:3=kill');
    arming.arm({ point: 'coordinator.acquired', nth: 1, action: 'freeze' });
    expect(readFileSync(arming.file, 'utf8')).toBe('coordinator.acquired:1=stop');
  });

  it('knows which process came there, and when', () => {
    const { arming, take } = world();
    arming.arm({ point: 'executor.call.after', nth: 1, action: 'kill' });
    expect(arming.hit()).toBeNull();
    const before = Date.now();
    take(4711, 42);
    expect(arming.hit()).toMatchObject({ pid: 4711, parentPid: 42 });
    expect(Math.abs((arming.hit()?.at ?? 0) - before)).toBeLessThan(1_000);
  });

  it('lets nobody act who comes too late, and knows who came at the last moment', () => {
    const { arming, take } = world();
    arming.arm({ point: 'executor.call.after', nth: 1, action: 'freeze' });
    take(4711, 42);
    expect(arming.withdraw()).toMatchObject({ pid: 4711, parentPid: 42 });
    arming.arm({ point: 'executor.call.after', nth: 1, action: 'freeze' });
    expect(arming.withdraw()).toBeNull();
    expect(() => take(4712, 42)).toThrow('ENOENT');
    expect(arming.hit()).toBeNull();
  });

  it('forgets the last strike when it is disarmed or armed again', () => {
    const { arming, take } = world();
    arming.arm({ point: 'executor.call.after', nth: 1, action: 'kill' });
    take(4711, 42);
    arming.arm({ point: 'executor.call.after', nth: 1, action: 'kill' });
    expect(arming.hit()).toBeNull();
    arming.disarm();
    expect(existsSync(arming.file)).toBe(false);
  });
});
