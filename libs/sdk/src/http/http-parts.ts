import type http from 'node:http';
import type { ToolRequest, ToolResponse } from './http.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export const methodOf = ({ method, json, body }: ToolRequest): string =>
  (method ?? (json === undefined && body === undefined ? 'GET' : 'POST')).toUpperCase();

/** Whether a request of this method may change something. */
export const mayChange = (method: string): boolean => !SAFE_METHODS.has(method);

export const bodyOf = ({ json, body }: ToolRequest): Uint8Array | null => {
  if (json !== undefined && body !== undefined) throw new TypeError('give body or json, not both');
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return typeof body === 'string' ? Buffer.from(body) : (body ?? null);
};

export const headersOf = (request: ToolRequest, body: Uint8Array | null): Record<string, string> => ({
  ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
  ...lowerCase(request.headers ?? {}),
  ...(body === null ? {} : { 'content-length': String(body.byteLength) }),
});

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export const responseOf = (message: http.IncomingMessage, bytes: Buffer): ToolResponse => {
  const status = message.statusCode ?? 0;
  const text = (): string => bytes.toString('utf8');
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: plainHeaders(message.headers),
    bytes,
    text: () => Promise.resolve(text()),
    json: async () => JSON.parse(text()) as unknown,
  };
};

const plainHeaders = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
