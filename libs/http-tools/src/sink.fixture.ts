import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
export type Handler = (request: Seen, response: ServerResponse) => void;

/** A server that keeps what it was asked. What it answers is set by each test. */
export class Sink {
  readonly seen: Seen[] = [];
  answer: Handler = (_, response) => void response.end();
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body };
      this.seen.push(seen);
      this.answer(seen, response);
    });
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  clear(): void {
    this.seen.length = 0;
    this.answer = (_, response) => void response.end();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Answers with a status and a value in JSON, or with nothing. */
export const says =
  (status: number, value?: unknown, headers: Readonly<Record<string, string>> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { ...(value === undefined ? {} : { 'content-type': 'application/json' }), ...headers });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
