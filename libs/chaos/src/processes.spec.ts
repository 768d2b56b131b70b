import { spawnService } from '@holdfast/dev';
import { nodeChildrenOf, pidsWithVariable } from './processes.js';

describe('the Node.js children of a process', () => {
  it('are those that run Node.js, not those that only speak of it', async () => {
    const wait = 'setTimeout(() => undefined, 60_000)';
    let started: () => void = () => undefined;
    const hasStarted = new Promise<void>((resolve) => (started = resolve));
    // Its watcher is a child of this process' child and has the whole command among its words.
    const service = await spawnService({
      name: 'a parent',
      command: process.execPath,
      args: [
        '-e',
        `require('node:child_process').spawn(process.execPath, ['-e', '${wait}']); console.log('started'); ${wait}`,
      ],
      onLine: () => started(),
    });
    try {
      await hasStarted;
      expect(nodeChildrenOf(service.pid)).toHaveLength(1);
    } finally {
      await service.stop(100);
    }
  });
});

describe('processes with a variable of their own', () => {
  it('are found wherever they are', async () => {
    const value = `mark-${process.pid}`;
    const service = await spawnService({
      name: 'a marked one',
      command: process.execPath,
      args: ['-e', 'setTimeout(() => undefined, 60_000)'],
      env: { HOLDFAST_TEST_MARK: value },
    });
    try {
      expect(pidsWithVariable('HOLDFAST_TEST_MARK', value)).toContain(service.pid);
      expect(pidsWithVariable('HOLDFAST_TEST_MARK', 'another')).toEqual([]);
    } finally {
      await service.stop(100);
    }
  });
});
