import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { armByFile, armFailpoints, failpoint, parseFailpoints, type FailpointAction } from './failpoint.js';

const claimed = 'executor.claim.after';
const appending = 'coordinator.append.before';

describe('a failpoint', () => {
  it('acts at the n-th hit of its name, once', () => {
    const acted: FailpointAction[] = [];
    const hit = armFailpoints(parseFailpoints(`${claimed}:2=kill, ${appending}=stop`), (action) => acted.push(action));
    hit(claimed);
    hit('executor.call.before');
    expect(acted).toStrictEqual([]);
    hit(claimed);
    hit(appending);
    hit(appending);
    hit(claimed);
    expect(acted).toStrictEqual(['kill', 'stop']);
  });

  it.each(['x', 'x=explode', 'x:0=kill', 'x:y=kill', '=kill', ''])('refuses the text "%s"', (text) =>
    expect(() => parseFailpoints(text)).toThrow('HOLDFAST_FAILPOINT: expected name[:n]=kill|stop|exit'),
  );

  it('refuses a name that there is not', () =>
    expect(() => parseFailpoints('executor.claim=kill')).toThrow('there is no failpoint "executor.claim"'));

  it('does nothing when none is set', () => expect(() => failpoint(claimed)).not.toThrow());
});

describe('a failpoint that is armed by a file', () => {
  const world = () => {
    const folder = mkdtempSync(join(tmpdir(), 'failpoint-'));
    const file = join(folder, 'armed');
    const acted: string[] = [];
    const process = (name: string) => armByFile(file, (action) => acted.push(`${name} ${action}`));
    return { folder, acted, process, arm: (text: string) => writeFileSync(file, text) };
  };

  it('acts from the moment on at which the file is there, and takes it away under its own name', () => {
    const { folder, acted, process: start, arm } = world();
    const reach = start('a');
    reach(claimed);
    arm(`${claimed}:2=stop`);
    reach(claimed);
    expect(acted).toEqual([]);
    reach(claimed);
    reach(claimed);
    expect(acted).toEqual(['a stop']);
    expect(readdirSync(folder)).toEqual([`armed.${process.pid}.${process.ppid}`]);
  });

  it('acts in one process only, whichever comes there first', () => {
    const { acted, process: start, arm } = world();
    const [first, second] = [start('first'), start('second')];
    arm(`${claimed}=kill`);
    second(claimed);
    first(claimed);
    expect(acted).toEqual(['second kill']);
  });

  it('can be armed again with the same words', () => {
    const { acted, process: start, arm } = world();
    const reach = start('a');
    for (let turn = 0; turn < 2; turn += 1) {
      arm(`${claimed}=kill`);
      reach(claimed);
    }
    expect(acted).toEqual(['a kill', 'a kill']);
  });
});
