import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@holdfast/dev';
import type { LedgerCall, LedgerEntry, LedgerState } from './conduct.js';
import { Member } from './member.js';

/** The ledger of outside effects as a test sees it. */
export class Ledger {
  private readonly file: string;
  private readonly member: Member;

  constructor(folder: string, main: string) {
    this.file = join(folder, 'ledger.jsonl');
    this.member = new Member({
      name: 'ledger',
      main,
      args: [this.file],
      env: {},
      logFile: join(folder, 'ledger.log'),
      plain: true,
    });
  }

  start(): Promise<void> {
    return this.member.start();
  }

  get url(): string {
    return `http://127.0.0.1:${this.member.port}`;
  }

  async state(): Promise<LedgerState> {
    return (await (await fetch(`${this.url}/state`)).json()) as LedgerState;
  }

  /** What was applied, as it is on disk; all of it, or what was done under one name. */
  entries(name?: string): readonly LedgerEntry[] {
    const lines = readText(this.file)
      .split('\n')
      .filter((line) => line !== '');
    const all = lines.map((line) => JSON.parse(line) as LedgerEntry);
    return name === undefined ? all : all.filter((entry) => entry.name === name);
  }

  async calls(name: string): Promise<readonly LedgerCall[]> {
    return (await this.state()).calls.filter((call) => call.name === name);
  }

  /** Waits until each of these names was called at least `times` times. */
  async called(names: readonly string[], times = 1): Promise<void> {
    await eventually(
      `the ledger is called ${times} times for ${names.join(', ')}`,
      async () => {
        const { calls } = await this.state();
        return names.every((name) => calls.filter((call) => call.name === name).length >= times);
      },
      90_000,
    );
  }

  /** Lets a call that `wait`s go on. */
  async release(name: string): Promise<void> {
    await fetch(`${this.url}/release?name=${encodeURIComponent(name)}`);
  }

  async stop(graceMs: number): Promise<void> {
    if (this.member.running) await this.member.stop(graceMs);
  }
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
};
