import { spawnService } from '@holdfast/dev';
import { nodeChildrenOf } from './processes.js';

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
