import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { world } from './cli.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-tools-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'tools.yaml');
writeFileSync(file, "mcp:\n  one: { command: a, version: '1', polcy: 1 }\n  two: { command: b, version: '1' }\n");
const empty = join(folder, 'empty.yaml');
writeFileSync(empty, 'http: {}\n');

const closed = 'http://127.0.0.1:9/mcp';

describe('tools inspect', () => {
  it.each([
    [2, [], 'say which server'],
    [2, ['--url', closed, '--', 'a', 'program'], 'say which server'],
    [2, ['--header', 'a: b', '--', 'a'], '--header belongs to --url'],
    [2, ['--url', closed, '--header', 'nothing'], 'give it as "name: value"'],
    [2, ['--url', closed, '--header', 'Authorization: Bearer abc'], 'Authorization looks like a credential'],
    [2, ['--url', closed, '--header', 'X-Key: ${env:NOT_THERE_AT_ALL}'], 'there is no secret NOT_THERE_AT_ALL'],
    [2, ['--url', 'ftp://a.example'], 'must be an http: or https: URL'],
    [2, ['--file', file], 'names several servers'],
    [2, ['--file', file, 'three'], 'Name one of: one, two'],
    [2, ['--file', file, 'one'], 'mcp.one.polcy: is not known here'],
    [2, ['--file', empty], 'it has no section mcp'],
    [2, ['--file', join(folder, 'none.yaml'), 'one'], 'there is no such file'],
    [3, ['--url', closed], 'ECONNREFUSED'],
    [3, ['--', join(folder, 'no-such-program')], 'ENOENT'],
  ])('ends with %i for %j', async (code, args, message) => {
    const { run, err, out } = world();
    expect(await run('tools', 'inspect', ...args)).toBe(code);
    expect(err()).toContain(message);
    expect(out()).toBe('');
  });
});
