import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** As an endpoint of a model says something. */
const completion = (text: string): string =>
  JSON.stringify({
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'echo',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

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
      const said = JSON.stringify({
        said: `You are ${authorization}`,
        headers: request.headers,
        body,
        url: request.url,
      });
      return response.end(
        request.url?.endsWith('/chat/completions') === true && status === 200 ? completion(said) : said,
      );
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
