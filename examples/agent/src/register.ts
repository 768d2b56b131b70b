import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const findingSchema = z.object({
  key: z.string().min(1),
  document: z.string().min(1),
  finding: z.string().min(1),
  severity: z.enum(['low', 'high']),
});
export type Filed = z.infer<typeof findingSchema> & { readonly number: number };

/** The register of findings: a service as they are in the world. It files whatever it is sent, as often as it is sent. */
export type Register = { readonly url: string; filed(): readonly Filed[]; close(): Promise<void> };

const BODY_BYTES_MAX = 64 * 1024;

/** `POST /findings` files, every time; `GET /findings?key=` lists what was filed under a key. */
export const startRegister = async (): Promise<Register> => {
  const book: Filed[] = [];
  const server = createServer((request, response) => {
    void serve(request, response, book).catch((error: Error) => answer(response, 400, { problem: error.message }));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    filed: () => [...book],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
};

const serve = async (request: IncomingMessage, response: ServerResponse, book: Filed[]): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://register');
  if (url.pathname !== '/findings') return answer(response, 404, { problem: `${url.pathname} is not known here` });
  if (request.method === 'GET') {
    const key = url.searchParams.get('key');
    return answer(response, 200, { findings: book.filter((filed) => filed.key === key) });
  }
  const filed = { ...findingSchema.parse(JSON.parse(await bodyOf(request))), number: book.length + 1 };
  book.push(filed);
  return answer(response, 201, { number: filed.number });
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > BODY_BYTES_MAX) throw new Error('the body is too large');
  }
  return body;
};

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
