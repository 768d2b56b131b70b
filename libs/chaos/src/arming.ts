import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Strike } from './schedule.js';

/** A process that came to the armed failpoint. */
export type Hit = { readonly pid: number; readonly parentPid: number; readonly at: number };

/** The file over which the processes of a fleet are armed: whoever comes to the failpoint first takes it away. */
export class Arming {
  constructor(readonly file: string) {}

  arm({ point, nth, action }: Pick<Strike, 'point' | 'nth' | 'action'>): void {
    this.disarm();
    const text = `${point}:${nth}=${action === 'kill' ? 'kill' : 'stop'}`;
    // Renamed into place, so that nobody reads half of it.
    writeFileSync(`${this.file}.next`, text);
    renameSync(`${this.file}.next`, this.file);
  }

  /** Nobody acts from now on. Who came to it at the last moment is told: only one can take the file away. */
  withdraw(): Hit | null {
    rmSync(this.file, { force: true });
    return this.hit();
  }

  /** Nobody acts any more, and earlier hits are forgotten. */
  disarm(): void {
    rmSync(this.file, { force: true });
    for (const { name } of this.taken()) rmSync(join(dirname(this.file), name), { force: true });
  }

  hit(): Hit | null {
    const [taken] = this.taken();
    if (taken === undefined) return null;
    const { pid, parentPid, name } = taken;
    // Renaming a file changes its status, not its contents.
    return { pid, parentPid, at: Math.round(statSync(join(dirname(this.file), name)).ctimeMs) };
  }

  private taken(): readonly { readonly name: string; readonly pid: number; readonly parentPid: number }[] {
    const prefix = `${basename(this.file)}.`;
    return readdirSync(dirname(this.file)).flatMap((name) => {
      if (!name.startsWith(prefix)) return [];
      const [, pid, parentPid] = /^(\d+)\.(\d+)$/.exec(name.slice(prefix.length)) ?? [];
      return pid === undefined ? [] : [{ name, pid: Number(pid), parentPid: Number(parentPid) }];
    });
  }
}
