import { setTimeout as sleep } from 'node:timers/promises';
import { callsSchema, type Call } from '../office/calls.js';

/** Every filing call that the office saw and that was not over by then. */
export const callsSince = async (officeUrl: string, at: number): Promise<readonly Call[]> => {
  const response = await fetch(`${officeUrl}/calls?since=${at}`);
  return callsSchema.parse(await response.json()).calls;
};

const MOMENT_MS_MAX = 10_000;
/** On a busy machine the news may come when the moment is over; then it is asked for again. */
const NEWS_MS_MAX = 10;
const MOMENTS_MAX = 20;

/** Resolves at a moment at which a client that dies leaves doubtful calls behind; or when none comes. */
export const worstMoment = async (officeUrl: string, momentsMax = MOMENTS_MAX): Promise<void> => {
  for (let asked = 0; asked < momentsMax; asked += 1) {
    const response = await fetch(`${officeUrl}/worst-moment`, { signal: AbortSignal.timeout(MOMENT_MS_MAX) });
    const { found, at } = (await response.json()) as { found: string; at: number };
    if (found === 'harmless' || Date.now() - at <= NEWS_MS_MAX) return;
  }
};

const POLL_MS = 50;

/** Waits until no call is under way at the office, so that whatever was still going to be filed has been. */
export const untilQuiet = async (officeUrl: string, quietMs: number, msMax: number): Promise<void> => {
  const until = performance.now() + msMax;
  let quietSince = performance.now();
  while (performance.now() < until && performance.now() - quietSince < quietMs) {
    const response = await fetch(`${officeUrl}/stats`);
    const { inFlight } = (await response.json()) as { inFlight: number };
    if (inFlight > 0) quietSince = performance.now();
    await sleep(POLL_MS);
  }
};
