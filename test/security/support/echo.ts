import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that answers with what it was sent, headers and body, as careless ones do: 403 where the path says so. */
export class Echo {
  /** How often it was shown each header. */
  readonly shown: string[] = [];
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization = '' } = request.headers;
      this.shown.push(authorization);
      const status = request.url?.includes('refused') === true ? 403 : 200;
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': authorization });
      return response.end(JSON.stringify({ said: `You are ${authorization}`, headers: request.headers, body }));
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
