import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Conduct, LedgerCall, LedgerEntry, LedgerRequest } from './conduct.js';

/** A ledger of outside effects in a process of its own: what is applied is on disk before anybody is answered. */
class Ledger {
  private readonly entries: LedgerEntry[] = [];
  private readonly calls: LedgerCall[] = [];
  /** Of each key the entries in order. */
  private readonly byKey = new Map<string, LedgerEntry[]>();
  private readonly callsOf = new Map<string, number>();
  private readonly asked = new Map<string, number>();
  private readonly held = new Map<string, (() => void)[]>();

  constructor(private readonly file: string) {}

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://ledger');
    if (url.pathname === '/state') return answer(response, 200, { entries: this.entries, calls: this.calls });
    if (url.pathname === '/entries') return answer(response, 200, this.entries.map(withResult));
    if (url.pathname === '/release') return this.release(url.searchParams.get('name') ?? '', response);
    if (url.pathname === '/entry') return this.tell(url.searchParams.get('key') ?? '', response);
    const body = JSON.parse(await textOf(request)) as LedgerRequest;
    return this.take(body, response);
  }

  private take(asked: LedgerRequest, response: ServerResponse): void {
    const { name, key, conduct } = asked;
    const nth = this.callsOf.get(name) ?? 0;
    this.callsOf.set(name, nth + 1);
    const chosen = conduct[Math.min(nth, conduct.length - 1)] ?? 'ok';
    const call: LedgerCall = {
      name,
      key,
      conduct: chosen,
      at: Date.now(),
      applied: false,
      answered: false,
      gone: false,
    };
    this.calls.push(call);
    response.on('close', () => (call.gone = !call.answered));
    this.treat(chosen, { asked, call, response });
  }

  private treat(conduct: Conduct, under: Under): void {
    const { asked, call, response } = under;
    if (conduct === 'ok') return this.accept(under);
    if (conduct === 'apply-hold') return void this.apply(asked, call);
    if (conduct === 'hold-drop') return;
    if (conduct === 'wait') return this.hold(asked.name, () => this.accept(under));
    const status = statusOf(conduct);
    if (status !== null) {
      if (conduct.startsWith('apply-')) this.apply(asked, call);
      call.answered = true;
      return answer(response, status, { refused: true });
    }
    if (conduct.startsWith('slow:')) return void setTimeout(() => this.accept(under), Number(conduct.slice(5)));
    if (conduct === 'apply-drop') this.apply(asked, call);
    response.destroy();
  }

  private accept({ asked, call, response }: Under): void {
    const entry = this.apply(asked, call);
    call.answered = !call.gone;
    answer(response, 200, { receipt: entry.receipt });
  }

  private apply({ name, key, dropRepeatsMs }: LedgerRequest, call: LedgerCall): LedgerEntry {
    const at = Date.now();
    const same = this.byKey.get(key) ?? [];
    const known = same.find((entry) => entry.at + (dropRepeatsMs ?? 0) > at);
    if (known !== undefined) return known;
    const entry = { receipt: this.entries.length + 1, name, key, at };
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
    this.entries.push(entry);
    this.byKey.set(key, [...same, entry]);
    call.applied = true;
    return entry;
  }

  private hold(name: string, go: () => void): void {
    this.held.set(name, [...(this.held.get(name) ?? []), go]);
  }

  private release(name: string, response: ServerResponse): void {
    const waiting = this.held.get(name) ?? [];
    this.held.delete(name);
    for (const go of waiting) go();
    answer(response, 200, { released: waiting.length });
  }

  private tell(key: string, response: ServerResponse): void {
    const asked = (this.asked.get(key) ?? 0) + 1;
    this.asked.set(key, asked);
    answer(response, 200, { entry: this.byKey.get(key)?.[0] ?? null, asked });
  }
}

/** The status of a conduct that answers with an error; null for all others. */
const statusOf = (conduct: Conduct): number | null => {
  if (conduct === 'refuse') return 503;
  if (conduct === 'reject') return 422;
  const [, status] = /^(?:apply-)?answer:(\d+)$/.exec(conduct) ?? [];
  return status === undefined ? null : Number(status);
};

type Under = { readonly asked: LedgerRequest; readonly call: LedgerCall; readonly response: ServerResponse };

/** As whoever counts effects wants it: the key, and what the step returns. */
const withResult = (entry: LedgerEntry) => ({ ...entry, result: { receipt: entry.receipt } });

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const answer = (response: ServerResponse, status: number, body: object): void => {
  if (response.destroyed) return;
  // Whoever obeys what an answer suggests, a new address or another try at once, is caught by the count of calls.
  const tempting = status >= 300 ? { location: '/again', 'retry-after': '0' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...tempting });
  response.end(JSON.stringify(body));
};

const ledger = new Ledger(process.argv[2] ?? 'ledger.jsonl');
const server = createServer((request, response) => void ledger.serve(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ msg: 'ready', port: (server.address() as AddressInfo).port })}\n`);
});
