import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledProgram } from '../../e2e/support/compiled.js';

/** The clocks of services that were started with `envOf` their name. All are right at first. */
export class Clocks {
  private readonly files = new Map<string, number>();

  constructor(private readonly folder: string) {}

  envOf(name: string): Readonly<Record<string, string>> {
    this.set(name, 0);
    return {
      CLOCK_FILE: this.fileOf(name),
      NODE_OPTIONS: `--import ${pathToFileURL(compiledProgram('clock')).href}`,
    };
  }

  /** From this moment on the clock is off by so much. */
  set(name: string, offMs: number): void {
    const file = this.files.get(name) ?? openSync(this.fileOf(name), 'w+');
    this.files.set(name, file);
    writeSync(file, new Float64Array([offMs]), 0, 8, 0);
  }

  private fileOf(name: string): string {
    return join(this.folder, `${name}.clock`);
  }
}
