import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CREDENTIALS = {
  accessKeyId: 'AKPROBES',
  secretAccessKey: 'store-secret-access-key-1',
  region: 'eu-test-1',
} as const;

type Stored = { readonly body: Buffer; readonly meta: Readonly<Record<string, string>>; readonly etag: string };

/**
 * The part of S3 that puts and looks at objects, as strict as the original: it checks the signature by its own reading of
 * AWS Signature Version 4, the hash of the body, and the conditions `If-None-Match: *` and `If-Match`.
 */
export class StrictStore {
  readonly objects = new Map<string, Stored>();
  /** Every put that was done. */
  readonly puts: { readonly path: string; readonly marker: string }[] = [];
  readonly seen: string[] = [];
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.seen.push(`${request.method} ${request.url}`);
      if (this.answer?.(request, response) !== true) this.serve(request, response, Buffer.concat(chunks));
    });
  });

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private serve(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    if (!isSigned(request, body))
      return void response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    const path = decodeURIComponent(request.url ?? '');
    const there = this.objects.get(path);
    if (request.method === 'HEAD') return show(response, there);
    if (!conditionHolds(request, there))
      return void response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
    const meta = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-') || name === 'content-type'),
    ) as Record<string, string>;
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    this.objects.set(path, { body, meta, etag });
    this.puts.push({ path, marker: meta['x-amz-meta-holdfast-key'] ?? '' });
    response.writeHead(200, { etag }).end();
  }
}

const show = (response: ServerResponse, there: Stored | undefined): void => {
  if (there === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { ...there.meta, etag: there.etag, 'content-length': there.body.length }).end();
};

const conditionHolds = ({ headers }: IncomingMessage, there: Stored | undefined): boolean => {
  if (headers['if-none-match'] === '*') return there === undefined;
  return headers['if-match'] === undefined || headers['if-match'] === there?.etag;
};

const hex = (body: Buffer | string): string => createHash('sha256').update(body).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const isSigned = (request: IncomingMessage, body: Buffer): boolean => {
  const { headers, method = '', url = '' } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/;
  const [, access, day = '', region = '', signed = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  const bodyHash = String(headers['x-amz-content-sha256']);
  if (access !== CREDENTIALS.accessKeyId || region !== CREDENTIALS.region || bodyHash !== hex(body)) return false;
  const names = signed.split(';');
  const needed = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (needed.some((name) => !names.includes(name))) return false;
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, url, '', lines, signed, bodyHash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hex(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${CREDENTIALS.secretAccessKey}`, day), region));
  return hmac(key, toSign).toString('hex') === signature;
};
