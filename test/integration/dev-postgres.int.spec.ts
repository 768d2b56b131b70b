import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dataDir, eventually, isAlive, repositoryRoot, spawnService, startPostgres } from '@holdfast/dev';
import { Client } from 'pg';

const ask = async (url: string, text: string) => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
};

describe('a Postgres for development', () => {
  it('keeps port and data when it is killed and started again', async () => {
    const server = await startPostgres();
    try {
      const url = await server.createDatabase();
      await ask(url, 'CREATE TABLE kept (a int); INSERT INTO kept VALUES (7)');
      const { pid } = server;
      await server.kill();
      await expect(ask(url, 'SELECT 1')).rejects.toThrow();
      await server.restart();
      expect((await ask(url, 'SELECT a FROM kept')).rows).toEqual([{ a: 7 }]);
      expect(server.pid).not.toBe(pid);
    } finally {
      await server.stop();
    }
  });

  it('keeps the data of a given folder for the next one there', async () => {
    const dir = dataDir('kept');
    const first = await startPostgres({ dir });
    await ask(first.url, 'CREATE TABLE here (a int)');
    await first.stop();
    const second = await startPostgres({ dir });
    await ask(second.url, 'SELECT * FROM here');
    await second.stop();
  });

  it('ends when the process that started it is killed', async () => {
    const dev = pathToFileURL(join(repositoryRoot, 'tools/dev/dist/index.js')).href;
    const file = join(dataDir('host'), 'host.mjs');
    writeFileSync(
      file,
      `import { startPostgres } from '${dev}';
       const server = await startPostgres();
       console.log(String(server.pid));
       setInterval(() => undefined, 1000);`,
    );
    const pids: number[] = [];
    const onLine = (line: string) => void pids.push(Number(line));
    const host = await spawnService({ name: 'host', command: process.execPath, args: [file], onLine });
    await eventually('the pid is printed', () => pids.length === 1, 30_000);
    host.kill('SIGKILL');
    await eventually('Postgres is gone', () => !pids.some(isAlive), 10_000);
  });
});
