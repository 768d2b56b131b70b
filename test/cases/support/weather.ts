import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledProgram } from '../../e2e/support/compiled.js';
import type { Member } from '../../e2e/support/member.js';
import type { World } from '../../e2e/support/world.js';

/** What befalls a service: its wall clock is set apart, or it alone loses its connections to Kafka. */
export class Weather {
  private readonly file: string;
  private now = { clockOffMs: 0, brokerGone: false };

  constructor(folder: string, name: string, clockOffMs = 0) {
    mkdirSync(folder, { recursive: true });
    this.file = join(folder, `${name}.weather.json`);
    this.setClock(clockOffMs);
  }

  /** With these variables a service, and what it starts, is under this weather. */
  get env(): Readonly<Record<string, string>> {
    const program = pathToFileURL(compiledProgram('weather')).href;
    return { WEATHER_FILE: this.file, NODE_OPTIONS: `--import ${program}` };
  }

  setClock(offMs: number): void {
    this.now = { ...this.now, clockOffMs: offMs };
    this.write();
  }

  cutOff(brokerGone: boolean): void {
    this.now = { ...this.now, brokerGone };
    this.write();
  }

  /** Whole at once: who reads never sees half of it. */
  private write(): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(this.now));
    renameSync(`${this.file}.new`, this.file);
  }
}

/** A service that begins to start, with a clock that is off by so much. */
export const launchAt = async (world: World, name: string, offMs: number): Promise<Member> => {
  const member = world.member(name);
  await member.launch(new Weather(world.folder, name, offMs).env);
  return member;
};
