import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@holdfast/dev';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-agent-'));
afterAll(() => rmSync(folder, { recursive: true }));

const play = (...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve, reject) => {
    const { OPENAI_API_KEY: _, ...env } = process.env;
    const program = join(repositoryRoot, 'examples', 'agent', 'dist', 'main.js');
    const child = spawn(process.execPath, [program, ...args], { env });
    let said = '';
    for (const out of [child.stdout, child.stderr]) out.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code, said }));
  });

describe('the agent of the example', () => {
  it('files every finding once over the death of its worker, asks once, and pays for no answer twice but the one on its way', async () => {
    const file = join(folder, 'report.json');
    const { code, said } = await play('--report', file);
    expect({ code, said }).toMatchObject({ code: 0 });
    const report = JSON.parse(readFileSync(file, 'utf8')) as { readonly runs: readonly unknown[] };
    expect(report).toMatchObject({
      kills: 1,
      duplicates: 0,
      lost: 0,
      modelCallsRepeated: 0,
      tokensNotCharged: 0,
      rejected: 0,
    });
    expect(report.runs).toEqual([expect.objectContaining({ end: 'succeeded', filed: 4, approvals: 1 })]);
    expect(said).toContain('The worker is gone.');
  });
});
