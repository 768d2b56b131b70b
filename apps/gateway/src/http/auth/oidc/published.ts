import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import type { KeySource } from './keys.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where an issuer and its keys are. */
export type IssuerPlaces = {
  readonly issuer: string;
  /** An address, or the path of a file; null to ask the issuer. */
  readonly jwks: string | null;
};

const PATIENCE_MS = 5_000;
const BYTES_MAX = 262_144;

const keysSchema = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(100),
});
const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string(), token_endpoint: z.string().optional() });
type Discovery = z.output<typeof discoverySchema>;

/** Nobody may change what is read on its way: HTTPS, or the own machine. */
export const isSafe = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname));
};

/** What an issuer says about itself (OpenID Connect Discovery 1.0). */
export const discover = async (issuer: string, fetch: Fetch): Promise<Discovery> => {
  const said = discoverySchema.parse(
    await json(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, fetch),
  );
  if (said.issuer !== issuer) throw new Error(`${issuer} calls itself ${said.issuer}`);
  return said;
};

/** Reads the keys: out of a file, from an address, or from where the issuer says that they are. */
export const keysOf =
  ({ issuer, jwks }: IssuerPlaces, fetch: Fetch): KeySource =>
  async () =>
    keysSchema.parse(await keysAt(jwks ?? (await discover(issuer, fetch)).jwks_uri, fetch)) as JSONWebKeySet;

const keysAt = async (place: string, fetch: Fetch): Promise<unknown> =>
  URL.canParse(place) ? json(place, fetch) : (JSON.parse(await readFile(place, 'utf8')) as unknown);

const json = async (url: string, fetch: Fetch): Promise<unknown> => {
  if (!isSafe(url)) throw new Error(`${url} is neither HTTPS nor on this machine`);
  const init = { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS), headers: { accept: 'application/json' } };
  const response = await fetch(url, init as RequestInit).catch((error: unknown) => {
    const { message, cause } = error as Error;
    throw new Error(`${url} does not answer: ${cause instanceof Error ? cause.message : message}`, { cause: error });
  });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return JSON.parse(await bounded(response, url)) as unknown;
};

const bounded = async (response: Response, url: string): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw new Error(`${url} answers more than ${BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
};
