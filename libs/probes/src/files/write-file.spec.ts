import fsSync from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { runTool, verifyTool, type Tool } from '@holdfast/sdk';
import { probeContract } from '../contract/probe-contract.js';
import type { Begun, Fault, ProbeWorld } from '../contract/probe-world.js';
import { keyMarker } from '../key-marker.js';
import { RECEIPTS } from './place.js';
import { removeReceipts } from './receipts.js';
import { writeFileAtomically } from './write-file.js';

const base = fsSync.realpathSync(fsSync.mkdtempSync(join(tmpdir(), 'holdfast-write-')));
const root = join(base, 'root');
fsSync.mkdirSync(join(root, RECEIPTS), { recursive: true });
const tool: Tool = writeFileAtomically({ name: 'write-file', version: '1', root }) as Tool;
const read = (path: string): Promise<string> => fs.readFile(join(root, path), 'utf8');

/** The markers of all writes that were done: a file system that is watched. */
const done: string[] = [];
const { renameSync } = fsSync;
const { link } = fs;
type Rename = typeof renameSync;
const watched: Rename = (from, to) => {
  renameSync(from, to);
  done.push(basename(dirname(String(from))));
};
const broken = Object.assign(new Error('the disk is gone'), { code: 'EIO' });

beforeEach(() => {
  jest.spyOn(fsSync, 'renameSync').mockImplementation(watched);
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => fs.rm(base, { recursive: true, force: true }));

const swap = async (path: string, other: string): Promise<() => Promise<void>> => {
  await fs.rename(path, other);
  return async () => {
    await fs.rm(path, { recursive: true, force: true });
    await fs.rename(other, path);
  };
};

const fault = async (fault: Fault): Promise<Begun> => {
  let reached = (): void => undefined;
  const begun = new Promise<void>((resolve) => (reached = resolve));
  const end = await beginFault(fault, reached);
  return { reached: begun, end };
};

const beginFault = async (fault: Fault, reached: () => void): Promise<() => Promise<void>> => {
  const renaming = (implementation: Rename) => {
    jest.spyOn(fsSync, 'renameSync').mockImplementation(implementation);
    return async () => void jest.spyOn(fsSync, 'renameSync').mockImplementation(watched);
  };
  switch (fault) {
    case 'away':
      return swap(root, `${root}.away`);
    case 'garbled': {
      const end = await swap(join(root, RECEIPTS), join(root, 'aside'));
      await fs.writeFile(join(root, RECEIPTS), 'no folder');
      return end;
    }
    case 'cut-before':
      return renaming(() => {
        throw broken;
      });
    case 'cut-after':
      return renaming((from, to) => {
        watched(from, to);
        throw broken;
      });
    case 'held': {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const spy = jest.spyOn(fs, 'link').mockImplementation(async (from, to) => {
        reached();
        await held;
        await link(from, to);
      });
      return async () => {
        spy.mockRestore();
        release();
      };
    }
  }
};

const world: ProbeWorld = {
  tool,
  args: (text) => ({ path: 'notes/a note.txt', content: text }),
  effects: async (key) => done.filter((marker) => marker === keyMarker(key)).length,
  fault,
  secrets: [],
};

describe('a file that is written', () => {
  for (const { name, run } of probeContract(() => world)) it(name, run);

  it('holds what was given, and replaces what was there', async () => {
    const result = await runTool(tool, { path: 'a.bin', content: 'AP8Q', encoding: 'base64' }, { key: 'bytes' });
    expect(result).toMatchObject({ outcome: 'succeeded', result: { path: 'a.bin', bytes: 3 } });
    expect(await fs.readFile(join(root, 'a.bin'))).toEqual(Buffer.from([0x00, 0xff, 0x10]));
    await runTool(tool, { path: 'a.bin', content: 'now text' }, { key: 'text' });
    expect(await read('a.bin')).toBe('now text');
  });

  it('shares nothing with its receipt, which is empty then', async () => {
    await runTool(tool, { path: 'alone', content: 'x' }, { key: 'alone' });
    expect((await fs.stat(join(root, 'alone'))).nlink).toBe(1);
    const folder = join(root, RECEIPTS, keyMarker('alone'));
    expect(await fs.readdir(folder)).toEqual(['receipt']);
    expect((await fs.stat(join(folder, 'receipt'))).size).toBe(0);
  });

  it('is written once by two attempts of a step at once', async () => {
    const args = { path: 'both', content: 'x' };
    const calls = await Promise.all([0, 0, 0].map((attempt) => runTool(tool, args, { key: 'both', attempt })));
    expect(calls.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(await world.effects('both')).toBe(1);
  });

  it('is found as applied when it has been replaced or removed since, and is not written again', async () => {
    const args = { path: 'replaced', content: 'first' };
    await runTool(tool, args, { key: 'first' });
    await runTool(tool, { ...args, content: 'second' }, { key: 'second' });
    const verdict = await verifyTool(tool, args, { key: 'first' });
    expect(verdict).toMatchObject({ verdict: 'applied', result: { bytes: 5 } });
    expect(verdict.evidence.summary).toContain('holds something else by now');
    await runTool(tool, args, { key: 'first', attempt: 1 });
    expect(await read('replaced')).toBe('second');
    await fs.rm(join(root, 'replaced'));
    expect(await verifyTool(tool, args, { key: 'first' })).toMatchObject({ verdict: 'applied' });
  });

  it('is unknown in a folder that was never written in, as of a disk that is not mounted', async () => {
    const other = join(base, 'other');
    await fs.mkdir(other);
    const verdict = await verifyTool(writeFileAtomically({ name: 'w', version: '1', root: other }) as Tool, {
      path: 'x',
      content: '',
    });
    expect(verdict.verdict).toBe('unknown');
    expect(verdict.evidence.summary).toContain('mounted');
  });
});

describe('a place outside the root', () => {
  it.each([
    '../x',
    'a/../../x',
    '/etc/x',
    './x',
    'a//x',
    '',
    '.holdfast/x',
    '.HOLDFAST/x',
    'a\u0000b',
    '..\\x',
    'x'.repeat(2_000),
  ])('is refused by its name, case %#', async (path) => {
    expect(await runTool(tool, { path, content: 'x' })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'invalid_args' },
    });
  });

  it('is not reached over a symbolic link, and a link that is the target is replaced', async () => {
    const outside = join(base, 'outside');
    await fs.mkdir(outside, { recursive: true });
    await fs.writeFile(join(outside, 'kept'), 'kept');
    await fs.symlink(outside, join(root, 'way-out'));
    for (const path of ['way-out/x', 'way-out/deep/x']) {
      const outcome = await runTool(tool, { path, content: 'x' }, { key: path });
      expect(outcome).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'outside_root' } });
    }
    expect(await fs.readdir(outside)).toEqual(['kept']);
    await fs.symlink(join(outside, 'kept'), join(root, 'link'));
    expect(await runTool(tool, { path: 'link', content: 'new' }, { key: 'link' })).toMatchObject({
      outcome: 'succeeded',
    });
    expect(await fs.readFile(join(outside, 'kept'), 'utf8')).toBe('kept');
    expect(await read('link')).toBe('new');
  });

  it('is a folder: refused for good, with nothing written', async () => {
    await fs.mkdir(join(root, 'folder'));
    expect(await runTool(tool, { path: 'folder', content: 'x' }, { key: 'folder' })).toMatchObject({
      outcome: 'failed',
      retry: 'never',
    });
    expect(await verifyTool(tool, { path: 'folder', content: 'x' }, { key: 'folder' })).toMatchObject({
      verdict: 'absent',
    });
  });
});

describe('receipts', () => {
  it('are removed by age, and those of others are kept', async () => {
    await runTool(tool, { path: 'old', content: 'x' }, { key: 'old' });
    await runTool(tool, { path: 'new', content: 'x' }, { key: 'new' });
    const past = new Date('2020-01-01');
    await fs.utimes(join(root, RECEIPTS, keyMarker('old')), past, past);
    expect(await removeReceipts(root, Date.parse('2021-01-01'))).toBe(1);
    expect(await verifyTool(tool, { path: 'new', content: 'x' }, { key: 'new' })).toMatchObject({ verdict: 'applied' });
    expect(await read('old')).toBe('x');
  });
});
