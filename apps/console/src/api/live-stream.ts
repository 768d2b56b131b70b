import { liveEventSchema, type LiveEvent } from '@holdfast/api';
import { shown } from './session.js';
import { pauseBefore, readSse, type SseMessage } from './sse.js';

export type LiveState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'waiting'; readonly until: number; readonly failures: number };

export type LiveHandlers = {
  readonly state: (state: LiveState) => void;
  readonly event: (event: LiveEvent) => void;
  /** Connected anew, perhaps after a gap: what is shown may be old. */
  readonly opened: () => void;
};

/** Longer than the gateway's heartbeats: a stream that is silent for so long is dead. */
const SILENCE_MS = 45_000;

/**
 * A stream that begins again by itself where it was broken off, by `Last-Event-ID`. `fetch` instead of `EventSource`,
 * which gives up for good on an error answer and does not say when it tries again.
 */
export class LiveStream {
  private lastId: string | null = null;
  private failures = 0;
  private closed = false;
  private abort = new AbortController();
  private wake: (() => void) | null = null;

  constructor(
    private readonly path: string,
    private readonly on: LiveHandlers,
  ) {
    void this.run();
  }

  close(): void {
    this.closed = true;
    this.abort.abort();
    this.wake?.();
  }

  /** Tries at once instead of at the end of the pause. */
  retryNow(): void {
    this.wake?.();
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      this.on.state({ state: 'connecting' });
      await this.connect().catch(() => undefined);
      if (this.closed) return;
      this.failures += 1;
      const ms = pauseBefore(this.failures);
      this.on.state({ state: 'waiting', until: Date.now() + ms, failures: this.failures });
      await this.pause(ms);
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async connect(): Promise<void> {
    this.abort = new AbortController();
    const from: Record<string, string> = this.lastId === null ? {} : { 'last-event-id': this.lastId };
    const headers = { accept: 'text/event-stream', ...from, ...shown() };
    const response = await fetch(this.path, { headers, signal: this.abort.signal, cache: 'no-store' });
    if (!response.ok || response.body === null) {
      // A place that the gateway does not know any more: begin with what is new.
      if (response.status >= 400 && response.status < 500) this.lastId = null;
      throw new Error(`answered ${response.status}`);
    }
    this.failures = 0;
    this.on.state({ state: 'live' });
    this.on.opened();
    await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader());
  }

  private async read(reader: ReadableStreamDefaultReader<string>): Promise<void> {
    let rest = '';
    for (;;) {
      const timer = setTimeout(() => this.abort.abort(), SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const reading = readSse(rest + value);
      rest = reading.rest;
      for (const message of reading.messages) this.take(message);
    }
  }

  private take({ id, data }: SseMessage): void {
    if (id !== null && id !== '') this.lastId = id;
    if (data === '') return;
    const event = eventOf(data);
    if (event !== null) this.on.event(event);
  }
}

const eventOf = (data: string): LiveEvent | null => {
  try {
    return liveEventSchema.parse(JSON.parse(data));
  } catch {
    return null; // not an event: whatever it says, the next question is answered in full
  }
};
