import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import pc from 'picocolors';
import type { Tally } from './tally.js';

/** What people see: lines that stay, and how far the work is. */
export type Display = {
  say(line: string): void;
  progress(tally: Tally): void;
  close(): void;
};

const PLAIN_EVERY_MS = 3_000;

/** A live bar on a terminal; elsewhere a line every few seconds. */
export const createDisplay = (steps: number): Display => {
  const startedAt = performance.now();
  const stamp = (): string => pc.dim(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  `);
  return process.stdout.isTTY ? barDisplay(steps, stamp) : plainDisplay(steps, stamp);
};

const plainDisplay = (steps: number, stamp: () => string): Display => {
  let saidAt = performance.now();
  return {
    say: (line) => console.log(stamp() + line),
    progress: (tally) => {
      if (performance.now() - saidAt < PLAIN_EVERY_MS) return;
      saidAt = performance.now();
      console.log(`${stamp()}${tally.stepsSucceeded} of ${steps} steps, ${noteOf(tally)}`);
    },
    close: () => undefined,
  };
};

const barDisplay = (steps: number, stamp: () => string): Display => {
  const format = `          ${pc.cyan('{bar}')} {value}/{total} steps, {note}`;
  // Signals are the mission's business; and lines above the bar may be longer than the terminal is wide.
  const behaviour = { gracefulExit: false, linewrap: true, hideCursor: true, fps: 10, barsize: 20 };
  const bars = new MultiBar({ ...behaviour, format }, Presets.shades_classic);
  let bar: SingleBar | null = null;
  let open = true;
  return {
    say: (line) => (bar !== null && open ? bars.log(`${stamp()}${line}\n`) : console.log(stamp() + line)),
    progress: (tally) => {
      if (!open) return;
      bar ??= bars.create(steps, 0, { note: '' });
      bar.update(tally.stepsSucceeded, { note: noteOf(tally) });
    },
    close: () => {
      if (!open) return;
      open = false;
      if (bar === null) return;
      // Stopping alone would swallow the lines that wait for the next frame.
      bars.update();
      bars.stop();
    },
  };
};

const noteOf = (tally: Tally): string => {
  const doubts = tally.openDoubts.size;
  const seconds = ((tally.lastAt ?? 0) - (tally.acceptedAt ?? 0)) / 1_000;
  const rate = seconds > 0 ? `, ${Math.round(tally.stepsSucceeded / seconds)} a second` : '';
  const doubtful = doubts === 0 ? '' : pc.yellow(`, ${doubts} in doubt`);
  return `${tally.filed.size} documents filed${rate}${doubtful}`;
};
