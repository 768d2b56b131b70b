import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `holdfast_` is what scanners for leaked secrets can look for. */
const TOKEN = /^holdfast_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export type MadeToken = { readonly id: string; readonly token: string; readonly hash: Buffer };

/** A new token: a number by which its row is found, which is no secret, and 256 random bits. */
export const makeToken = (random: (bytes: number) => Buffer = randomBytes): MadeToken => {
  const id = random(8).toString('hex');
  const token = `holdfast_${id}_${random(32).toString('base64url')}`;
  return { id, token, hash: hashOf(token) };
};

/** The id in a token; null where the text has another form. */
export const idOf = (text: string): string | null => TOKEN.exec(text)?.[1] ?? null;

/**
 * What is kept of a token. One round of SHA-256 is enough: slow hashes buy time against guesses at what people think of,
 * and nobody guesses 256 random bits, whereas a slow hash with each request would be an invitation to keep us busy.
 */
export const hashOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** Takes as long for hashes that begin alike as for others. */
export const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
