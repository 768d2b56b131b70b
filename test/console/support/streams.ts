import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LiveEvent } from '@holdfast/api';

/** Streams of server-sent events that can be cut off, as a network does it. */
export class Streams {
  private readonly clients = new Set<ServerResponse>();
  private id = 0;
  /** `Last-Event-ID` of each stream that was opened, with its path. */
  readonly opened: { readonly path: string; readonly lastId: string | undefined }[] = [];
  /** While it is set new streams are refused. */
  refusing = false;
  refused = 0;

  open(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (this.refusing) {
      this.refused += 1;
      response.writeHead(503).end();
      return;
    }
    const lastId = request.headers['last-event-id'];
    this.opened.push({ path, lastId: Array.isArray(lastId) ? lastId[0] : lastId });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': here\n\n');
    this.clients.add(response);
    request.on('close', () => this.clients.delete(response));
  }

  send(event: LiveEvent): void {
    this.id += 1;
    for (const stream of this.clients) stream.write(`id: ${this.id}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  cut(): void {
    for (const stream of this.clients) stream.destroy();
    this.clients.clear();
  }

  close(): void {
    this.refusing = true;
    this.cut();
  }
}
