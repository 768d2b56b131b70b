import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDir, eventually, isAlive, repositoryRoot, spawnService, type Service } from '@holdfast/dev';

const goneMsMax = 10_000;
const dev = pathToFileURL(join(repositoryRoot, 'tools/dev/dist/index.js')).href;
const runModule = pathToFileURL(join(repositoryRoot, 'tools/dev/bootstrap/run.mjs')).href;

const started: Service[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop(0)));
});

/** Starts a program, a `.mjs` text, and resolves with it and the `count` pids that it prints, each alone on a line. */
const host = async (count: number, code: string) => {
  const file = join(dataDir('host'), 'host.mjs');
  writeFileSync(file, code);
  return printing(count, process.execPath, [file]);
};

const printing = async (count: number, command: string, args: readonly string[], cwd = repositoryRoot) => {
  const pids: number[] = [];
  const onLine = (line: string) => {
    if (/^\d+$/.test(line)) pids.push(Number(line));
  };
  const service = await spawnService({ name: 'host', command, args, cwd, onLine });
  started.push(service);
  await eventually(`${count} pids are printed`, () => pids.length === count, 30_000);
  return { service, pids };
};

const gone = (pids: readonly number[]) =>
  eventually(`processes ${pids.join(', ')} are gone`, () => !pids.some(isAlive), goneMsMax);

const forever = 'setInterval(() => undefined, 1000);';
const printsPid = 'console.log(String(process.pid));';
const ignoresSignals = 'for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => undefined);';

/** The arguments of a node that prints its pid and waits; the deaf one heeds no polite request. */
const waiting = JSON.stringify(['-e', forever + printsPid]);
const deaf = JSON.stringify(['-e', ignoresSignals + forever + printsPid]);
const printed = `onLine: (line) => console.log(line)`;

describe('a process that started others', () => {
  it('takes Kafka and all services with it when it is killed', async () => {
    const { service, pids } = await host(
      2,
      `import { spawnService, startKafka } from '${dev}';
       const kafka = await startKafka();
       console.log(String(kafka.pids[0]));
       await spawnService({ name: 'worker', command: process.execPath, args: ${deaf}, ${printed} });`,
    );
    expect(pids.map(isAlive)).toEqual([true, true]);

    service.kill('SIGKILL');

    await gone([service.pid, ...pids]);
  });

  it('takes those with it that were started by what it started', async () => {
    const inner = `import { spawn } from 'node:child_process';
      import { spawnService } from '${dev}';
      ${printsPid}
      spawn(process.execPath, ${deaf}, { stdio: ['ignore', 'inherit', 'ignore'] });
      await spawnService({ name: 'leaf', command: process.execPath, args: ${deaf}, ${printed} });`;
    const { service, pids } = await host(
      3,
      `import { spawnService } from '${dev}';
       await spawnService({ name: 'inner', command: process.execPath, ${printed},
         args: ['--input-type=module', '-e', ${JSON.stringify(inner)}] });`,
    );
    expect(pids.map(isAlive)).toEqual([true, true, true]);

    service.kill('SIGKILL');

    await gone([service.pid, ...pids]);
  });

  it('takes a frozen service with it', async () => {
    const { service, pids } = await host(
      1,
      `import { spawnService } from '${dev}';
       const frozen = await spawnService({ name: 'frozen', command: process.execPath, args: ${waiting}, onLine: (line) => {
         frozen.kill('SIGSTOP');
         console.log(line);
       } });`,
    );

    service.kill('SIGKILL');

    await gone(pids);
  });
});

describe('a service', () => {
  const start = async (code: string) => {
    const service = await spawnService({ name: 'service', command: process.execPath, args: ['-e', code] });
    started.push(service);
    return service;
  };

  it('ends as it likes, with its own exit code', async () => {
    const service = await start('process.exit(7)');
    expect(await service.exited).toEqual({ code: 7, signal: null });
    expect(service.running).toBe(false);
    expect(service.kill()).toBe(false);
  });

  it('is killed when it does not stop in time', async () => {
    let ready = false;
    const code = 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000); console.log("deaf")';
    const args = ['-e', code];
    const onLine = () => (ready = true);
    const service = await spawnService({ name: 'deaf', command: process.execPath, args, onLine });
    await eventually('the service is deaf', () => ready);
    expect(await service.stop(100)).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('ends when the watcher of its lifeline is killed, since nothing would end it later', async () => {
    const service = await start('setInterval(() => undefined, 1000)');
    const watcher = await eventually('the watcher runs', () =>
      membersOf(service.pid).find((pid) => pid !== service.pid),
    );

    process.kill(watcher, 'SIGKILL');

    expect(await service.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('leaves nothing of its group behind', async () => {
    const { service, pids } = await host(
      1,
      `import { spawn } from 'node:child_process';
       const left = spawn(process.execPath, ${deaf}, { stdio: ['ignore', 'pipe', 'ignore'] });
       left.stdout.once('data', (pid) => process.stdout.write(pid, () => process.exit(0)));`,
    );
    await service.exited;
    await gone(pids);
  });

  it('cannot be started from a program that is not there', async () => {
    const missing = spawnService({ name: 'ledger', command: 'no-such-program' });
    await expect(missing).rejects.toThrow('Cannot start ledger: no program "no-such-program" is found');
  });

  const membersOf = (group: number): number[] =>
    execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith('Z'))
      .map(([pid]) => Number(pid));
});

describe('what npm started', () => {
  const npmRun = async (child: string) => {
    const dir = join(dataDir('npm'), 'package');
    mkdirSync(dir);
    writeFileSync(
      join(dir, 'main.mjs'),
      `import { endWithParent, endWithSignals, exitCodeOf, run } from '${runModule}';
       endWithSignals();
       endWithParent();
       ${printsPid}
       process.exitCode = exitCodeOf(await run(process.execPath, ${child}));`,
    );
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ scripts: { go: 'node main.mjs' } }));
    return printing(2, 'npm', ['run', 'go'], dir);
  };

  it('ends when npm is killed', async () => {
    const { service, pids } = await npmRun(waiting);

    service.kill('SIGKILL');

    await gone(pids);
  });

  it('ends when the process between is killed', async () => {
    const { pids } = await npmRun(deaf);

    process.kill(pids[0] ?? 0, 'SIGKILL');

    await gone(pids);
  });

  it('ends within 10 s after a polite request, however deaf it is', async () => {
    const { pids } = await npmRun(deaf);

    process.kill(pids[0] ?? 0, 'SIGTERM');

    await gone(pids);
  });
});
