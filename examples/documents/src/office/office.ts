import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Call } from './calls.js';
import { conductOf, type Conduct, type Manners } from './conduct.js';
import type { Ledger } from './ledger.js';
import { UnderWay } from './worst-moment.js';

const filingSchema = z.object({
  document: z.string().min(1),
  key: z.string().min(1),
  sha256: z.string().min(1),
  /** The office notes it with the call, and does nothing with it. */
  attempt: z.int().nonnegative().optional(),
});
type Filing = z.infer<typeof filingSchema>;

const BODY_BYTES_MAX = 64 * 1024;

/**
 * The records office: a service as they are in the world, with no transactions and no idempotency keys.
 * `POST /records` files, every time it is asked; `GET /records?key=` lists what was filed under a key;
 * `GET /calls?since=` tells what it saw, `GET /ledger?since=` what it filed, and `GET /stats` how often. `GET /worst-moment`
 * is answered at a moment at which a client that dies leaves the most doubtful calls behind.
 */
export const createOffice = (ledger: Ledger, manners: Manners): Server => {
  const calls: Call[] = [];
  const perDocument = new Map<string, number>();
  const underWay = new UnderWay();

  const file = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Before anything is awaited: a client that dies while its request is read is gone as well.
    const onClose = closingOf(response);
    const filing = filingSchema.safeParse(await bodyOf(request));
    if (!filing.success) return answer(response, 400, { problem: z.prettifyError(filing.error) });
    const number = perDocument.get(filing.data.document) ?? 0;
    perDocument.set(filing.data.document, number + 1);
    const conduct = conductOf(manners, filing.data.document, number);
    const call = newCall(filing.data, number, conduct);
    calls.push(call);
    onClose((at) => {
      if (call.answeredAt === null && call.cutAt === null) call.goneAt = at;
    });
    const over = underWay.begin(call, conduct);
    await carryOut({ ledger, call, conduct, filing: filing.data, response }).finally(over);
  };

  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://office');
    const door = `${request.method} ${url.pathname}`;
    if (door === 'POST /records') void file(request, response).catch(() => response.destroy());
    else if (door === 'GET /records') answer(response, 200, { records: under(ledger, url) });
    else if (door === 'GET /calls') answer(response, 200, { calls: since(calls, momentOf(url)) });
    else if (door === 'GET /ledger') answer(response, 200, { lines: ledger.since(momentOf(url)) });
    else if (door === 'GET /worst-moment')
      underWay.worstMoment((found) => answer(response, 200, { found, at: Date.now() }));
    else if (door === 'GET /stats') answer(response, 200, statsOf(calls));
    else answer(response, 404, { problem: `${door} is not known here` });
  });
};

type Job = {
  readonly ledger: Ledger;
  readonly call: Call;
  readonly conduct: Conduct;
  readonly filing: Filing;
  readonly response: ServerResponse;
};

const carryOut = async ({ ledger, call, conduct, filing, response }: Job): Promise<void> => {
  await sleep(conduct.beforeMs);
  if (call.goneAt !== null && !conduct.appliesWhenGone) {
    call.droppedAt = Date.now();
    return;
  }
  if (conduct.fate === 'refuses') {
    call.answeredAt = call.goneAt === null ? Date.now() : null;
    return answer(response, 503, { problem: 'the office is busy; nothing was filed' });
  }
  call.appliedAt = Date.now();
  const number = ledger.append({ at: call.appliedAt, ...filing });
  await sleep(conduct.afterMs);
  if (call.goneAt !== null) return;
  if (conduct.fate === 'drops') {
    call.cutAt = Date.now();
    response.destroy();
    return;
  }
  call.answeredAt = Date.now();
  answer(response, 200, { receipt: receiptOf(number) });
};

const receiptOf = (number: number): string => `filed-${number}`;

const under = (ledger: Ledger, url: URL) =>
  ledger
    .under(url.searchParams.get('key') ?? '')
    .map(({ number, ...line }) => ({ ...line, receipt: receiptOf(number) }));

/** Tells when the connection was closed, also when that has happened before anyone listened. */
const closingOf = (response: ServerResponse): ((tell: (at: number) => void) => void) => {
  let closedAt: number | null = null;
  let listener: ((at: number) => void) | null = null;
  response.once('close', () => {
    closedAt = Date.now();
    listener?.(closedAt);
  });
  return (tell) => {
    listener = tell;
    if (closedAt !== null) tell(closedAt);
  };
};

const newCall = ({ document, key, attempt }: Filing, number: number, { fate }: Conduct): Call => ({
  document,
  key,
  call: number,
  attempt: attempt ?? null,
  fate,
  receivedAt: Date.now(),
  appliedAt: null,
  answeredAt: null,
  cutAt: null,
  goneAt: null,
  droppedAt: null,
});

const momentOf = (url: URL): number => Number(url.searchParams.get('since') ?? 0);

// A call that began before is of interest as long as it was not over by then.
const since = (calls: readonly Call[], at: number): readonly Call[] =>
  calls.filter((call) => Math.max(call.receivedAt, call.answeredAt ?? 0, call.goneAt ?? 0) >= at || isOpen(call));

const isOpen = (call: Call): boolean => call.answeredAt === null && call.cutAt === null && call.goneAt === null;

const statsOf = (calls: readonly Call[]) => ({
  calls: calls.length,
  applied: calls.filter(({ appliedAt }) => appliedAt !== null).length,
  inFlight: calls.filter(isOpen).length,
  appliedUnanswered: calls.filter((call) => isOpen(call) && call.appliedAt !== null).length,
  cut: calls.filter(({ cutAt }) => cutAt !== null).length,
  abandoned: calls.filter(({ goneAt }) => goneAt !== null).length,
});

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
};

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
