import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, sendJson, type Answered } from './answering.js';
import { Ledger, type LedgerEntry, type Outcome } from './ledger.js';
import type { Asked, EndpointName, Script, Usage } from './script.js';
import { anthropicWire } from './wire/anthropic.js';
import { openAiWire } from './wire/openai.js';
import type { Refusal, Wire } from './wire/wire.js';

export type ModelServerOptions = {
  readonly script: Script;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Where to listen; default 127.0.0.1. */
  readonly host?: string;
  /** JSON lines; requests go on being counted where it ends. */
  readonly ledger?: string;
  /** The key that requests must bring. Without it none is looked at. */
  readonly key?: string;
  /** The models that are offered; others are answered with 404. Without it any name is one. */
  readonly models?: readonly string[];
};

/** A request of this life of the server; `asked` is null where it was rejected. */
export type SeenRequest = LedgerEntry & { readonly asked: Asked | null; readonly headers: IncomingMessage['headers'] };

/** What was paid for: answers that were handed over whole. */
export type Billed = Usage & { readonly requests: number };

export type ModelServer = {
  /** Without a path; `<url>/v1` for clients of the one API, `<url>` for those of the other. */
  readonly url: string;
  requests(): readonly SeenRequest[];
  /** Over all lives of the ledger. */
  ledger(): readonly LedgerEntry[];
  billed(): Billed;
  /** Requests that an endpoint would refuse for what they say, with the reason. */
  rejected(): readonly { readonly n: number; readonly problem: string }[];
  close(): Promise<void>;
};

/** Starts a server that speaks both APIs and says what a script says. */
export const startModelServer = async (options: ModelServerOptions): Promise<ModelServer> => {
  const desk = new Desk(options);
  const server = createServer((request, response) => void desk.serve(request, response));
  // Idle connections that are closed just as they are used again would look like faults.
  server.keepAliveTimeout = 60_000;
  const { host = '127.0.0.1', port = 0 } = options;
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.listen(port, host, ready);
  });
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests: () => desk.requests(),
    ledger: () => desk.entries(),
    billed: () => desk.billed(),
    rejected: () => desk.rejected(),
    close,
  };
};

const WIRES: Readonly<Record<string, readonly [EndpointName, Wire]>> = {
  '/v1/chat/completions': ['openai', openAiWire],
  '/v1/messages': ['anthropic', anthropicWire],
};

type Seen = Pick<SeenRequest, 'asked' | 'headers'>;

class Desk {
  private readonly book: Ledger;
  private readonly seen = new Map<number, Seen>();

  constructor(private readonly options: ModelServerOptions) {
    this.book = new Ledger(options.ledger ?? null);
  }

  entries(): readonly LedgerEntry[] {
    return this.book.entries();
  }

  requests(): readonly SeenRequest[] {
    return this.entries().flatMap((entry) => {
      const seen = this.seen.get(entry.n);
      return seen === undefined ? [] : [{ ...entry, ...seen }];
    });
  }

  billed(): Billed {
    const paid = this.entries().flatMap(({ ended }) => (ended?.outcome === 'replied' && ended.sent ? [ended] : []));
    return {
      requests: paid.length,
      tokensIn: paid.reduce((sum, { tokensIn }) => sum + tokensIn, 0),
      tokensOut: paid.reduce((sum, { tokensOut }) => sum + tokensOut, 0),
    };
  }

  rejected(): readonly { readonly n: number; readonly problem: string }[] {
    return this.entries().flatMap(({ n, ended }) =>
      ended?.outcome === 'rejected' ? [{ n, problem: ended.problem ?? '' }] : [],
    );
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that goes away in the middle is nothing to fail at.
    response.on('error', () => undefined);
    const { pathname } = new URL(request.url ?? '/', 'http://model-server');
    const found = WIRES[pathname];
    if (request.method === 'POST' && found !== undefined) return this.converse(found, request, response);
    if (request.method !== 'GET') return sendJson(response, 404, notFound(pathname));
    if (pathname === '/v1/models') return sendJson(response, 200, this.models());
    const books = { entries: this.entries(), billed: this.billed(), rejected: this.rejected() };
    return pathname === '/ledger' ? sendJson(response, 200, books) : sendJson(response, 404, notFound(pathname));
  }

  private models() {
    const { models = [] } = this.options;
    const data = models.map((id) => ({
      id,
      object: 'model',
      type: 'model',
      display_name: id,
      created: 0,
      owned_by: 'script',
    }));
    return { object: 'list', data, has_more: false };
  }

  private async converse(found: readonly [EndpointName, Wire], request: IncomingMessage, response: ServerResponse) {
    const [endpoint, wire] = found;
    const text = await textOf(request).catch(() => null);
    if (text === null) return;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const { headers } = request;
    const key = headerOf(headers['idempotency-key']);
    const n = this.book.begin({ endpoint, hash, key, startedAt: Date.now() });
    const body = parsed(text);
    const read = this.read(wire, body, request);
    const asked = 'asked' in read ? { ...read.asked, key } : null;
    this.seen.set(n, { asked, headers });
    if ('refusal' in read) {
      this.watch(n, response, () => ({ outcome: 'rejected', problem: read.refusal.message, counted: null }));
      return sendJson(response, read.refusal.status, wire.refusal(read.refusal));
    }
    let answered: Answered = { faulted: false, counted: null };
    this.watch(n, response, () => ({ outcome: answered.faulted ? 'faulted' : 'replied', counted: answered.counted }));
    try {
      const whole = { ...read.asked, key };
      answered = await answer({ wire, asked: whole, body, hash, response }, await this.options.script(whole, n));
    } catch (error) {
      answered = { faulted: true, counted: null };
      const refusal = { status: 500, message: `the script failed: ${(error as Error).message}` };
      sendJson(response, 500, wire.refusal(refusal));
    }
  }

  /** What came, or why an endpoint would not take it. */
  private read(wire: Wire, body: unknown, { headers }: IncomingMessage) {
    const { key, models } = this.options;
    const brought = headerOf(headers['x-api-key']) ?? headerOf(headers.authorization)?.replace(/^Bearer /i, '');
    if (key !== undefined && brought !== key) return refuse({ status: 401, message: 'this is not the key' });
    if (body === undefined) return refuse({ status: 400, message: 'the body is not JSON' });
    const read = wire.read(body);
    if (!read.ok) return refuse({ status: 400, message: read.problem });
    const { model } = read.asked;
    if (models?.includes(model) === false) return refuse({ status: 404, message: `there is no model ${model}` });
    return { asked: read.asked };
  }

  private watch(n: number, response: ServerResponse, told: () => Told): void {
    response.once('close', () => {
      const { outcome, problem, counted } = told();
      this.book.end(n, {
        endedAt: Date.now(),
        outcome,
        status: response.headersSent ? response.statusCode : null,
        sent: response.writableFinished,
        ...(problem === undefined ? {} : { problem }),
        tokensIn: counted?.usage.tokensIn ?? 0,
        tokensOut: counted?.usage.tokensOut ?? 0,
      });
    });
  }
}

type Told = { readonly outcome: Outcome; readonly problem?: string; readonly counted: Answered['counted'] };

const refuse = (refusal: Refusal): { readonly refusal: Refusal } => ({ refusal });
const notFound = (path: string) => ({ error: { message: `there is nothing at ${path}`, type: 'not_found_error' } });
const headerOf = (value: string | string[] | undefined): string | null =>
  Array.isArray(value) ? (value[0] ?? null) : (value ?? null);

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
