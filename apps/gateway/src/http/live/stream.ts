import type { Timer } from '@holdfast/service';
import type { Response } from 'express';
import type { Bell } from './bell.js';
import type { LiveReader, Told } from './reader.js';

export type StreamTimes = {
  /** After so long without anything else something is written, so that nobody between takes the line for dead. */
  readonly beatMs: number;
  /** A reader that takes nothing for so long is dropped. */
  readonly slowMs: number;
};

export type StreamPorts = { readonly bell: Bell; readonly timer: Timer; readonly times: StreamTimes };

/** Why a stream ends that its reader has not ended. */
export type StreamEnd = 'slow' | 'stopping' | 'failed' | 'signed_out';

/** The reason of a signal that ends a stream whose reader may not read any more. */
export const SIGNED_OUT: StreamEnd = 'signed_out';

/**
 * Writes what a reader finds until the signal is aborted or the connection ends. Nothing is kept for who reads slowly:
 * the next piece is read when the last one is on its way.
 */
export const stream = async (
  ports: StreamPorts,
  response: Response,
  reader: LiveReader,
  signal: AbortSignal,
): Promise<void> => {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const either = AbortSignal.any([signal, closed.signal]);
  begin(response, reader.from);
  try {
    await pump(ports, response, reader, either);
    if (!closed.signal.aborted) end(response, signal.reason === SIGNED_OUT ? SIGNED_OUT : 'stopping');
  } catch (error) {
    if (error instanceof TooSlow) return drop(ports.timer, response);
    if (!closed.signal.aborted) end(response, 'failed');
    throw error;
  }
};

const begin = (response: Response, from: string): void => {
  response.status(200).set({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  // Whoever is cut off before the first event still knows where it was.
  response.write(`retry: 1000\n\nid: ${from}\n\n`);
};

const pump = async (ports: StreamPorts, response: Response, reader: LiveReader, signal: AbortSignal): Promise<void> => {
  const { bell, times } = ports;
  while (!signal.aborted) {
    const heard = bell.count;
    const told = await reader.read();
    if (told.length > 0) {
      await write(ports, response, told.map(textOf).join(''), signal);
      continue;
    }
    const rang = await rings(ports, reader, { heard, signal });
    if (!rang && !signal.aborted) await write(ports, response, `: nothing for ${times.beatMs} ms\n\n`, signal);
  }
};

/** Whether the bell has rung before it was time for a sign of life. */
const rings = async (
  { bell, timer, times }: StreamPorts,
  reader: LiveReader,
  wait: { readonly heard: number; readonly signal: AbortSignal },
): Promise<boolean> => {
  const beat = new AbortController();
  const cancel = timer.after(times.beatMs, () => beat.abort());
  await bell.wait(reader.lane, wait.heard, AbortSignal.any([wait.signal, beat.signal]));
  cancel();
  return !beat.signal.aborted;
};

const textOf = ({ id, event }: Told): string => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;

class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** Fulfilled once there is room for more. */
const write = async (
  { timer, times }: StreamPorts,
  response: Response,
  text: string,
  signal: AbortSignal,
): Promise<void> => {
  if (response.write(text) || signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    const cancel = timer.after(times.slowMs, () => done(() => reject(new TooSlow('takes nothing'))));
    const go = (): void => done(resolve);
    const done = (settle: () => void): void => {
      cancel();
      response.off('drain', go);
      signal.removeEventListener('abort', go);
      settle();
    };
    response.once('drain', go);
    signal.addEventListener('abort', go, { once: true });
  });
};

/** Ends the stream and says why; whoever wants more comes again with the last id. */
const end = (response: Response, reason: StreamEnd): void =>
  void response.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);

const LAST_WORD_MS = 1_000;

const drop = (timer: Timer, response: Response): void => {
  end(response, 'slow');
  const cancel = timer.after(LAST_WORD_MS, () => response.destroy());
  response.once('close', cancel);
};
