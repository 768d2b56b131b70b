import type { LiveEvent } from '@holdfast/api';
import { eventually } from '@holdfast/dev';

export type Heard = { readonly id: string; readonly event: LiveEvent };

/** Server-sent events as a browser reads them: what came, in order. */
export class EventStream {
  readonly heard: Heard[] = [];
  /** Why the other side has ended it; null while it has not said so. */
  ended: string | null = null;
  /** Where to go on. */
  lastEventId: string | null;
  private readonly closing = new AbortController();
  private rest = '';

  private constructor(
    private readonly url: string,
    private readonly lastId: string | null,
    private readonly more: Readonly<Record<string, string>>,
  ) {
    this.lastEventId = lastId;
  }

  static async open(
    url: string,
    lastId: string | null = null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventStream> {
    const stream = new EventStream(url, lastId, headers);
    await stream.connect();
    return stream;
  }

  /** Waits until something that was heard is what is waited for. */
  async until(what: string, isIt: (event: LiveEvent) => boolean, msMax = 60_000): Promise<void> {
    await eventually(`${what} is heard live`, async () => this.heard.some(({ event }) => isIt(event)), msMax);
  }

  close(): void {
    this.closing.abort();
  }

  private async connect(): Promise<void> {
    const from = this.lastId === null ? {} : { 'last-event-id': this.lastId };
    const headers = { accept: 'text/event-stream', ...from, ...this.more };
    const response = await fetch(this.url, { headers, signal: this.closing.signal });
    if (response.status !== 200 || response.body === null) throw new Error(`${this.url}: ${response.status}`);
    void this.read(response.body);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const piece of body) this.take(decoder.decode(piece, { stream: true }));
    } catch {
      this.ended ??= 'cut';
    }
  }

  private take(text: string): void {
    const blocks = `${this.rest}${text}`.split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) this.hear(Object.fromEntries(block.split('\n').map(fieldOf)));
  }

  private hear({ id, data, event }: Readonly<Record<string, string>>): void {
    this.lastEventId = id ?? this.lastEventId;
    if (event === 'end') this.ended = (JSON.parse(data ?? '{}') as { reason: string }).reason;
    else if (id !== undefined && data !== undefined) this.heard.push({ id, event: JSON.parse(data) as LiveEvent });
  }
}

const fieldOf = (line: string): readonly [string, string] => {
  const cut = line.indexOf(': ');
  return [line.slice(0, cut), line.slice(cut + 2)];
};
