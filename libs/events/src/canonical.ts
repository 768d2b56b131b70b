import canonicalizeJson from 'canonicalize';
import type { Json } from '@holdfast/programs';
import { Defect } from './defect.js';

/** SHA-256 as lower-case hex. A port, so that the pure core needs no platform library. */
export type Digest = (bytes: Uint8Array | string) => string;

/** Canonical JSON (RFC 8785). Slow: only where two writers must come to the same bytes. */
export const canonicalJson = (value: Json): string => {
  const text = (canonicalizeJson as unknown as (value: unknown) => string | undefined)(value);
  if (text === undefined) throw new Defect('a value that is not JSON has no canonical form');
  return text;
};

/** The hash that binds an attempt, a claim and an approval to the exact arguments. */
export const argsHash = (digest: Digest, args: Json): string => digest(canonicalJson(args));
