import { admits } from '@holdfast/api';
import type { Timer } from '@holdfast/service';
import type { Request } from 'express';
import { SIGNED_OUT } from '../live/stream.js';
import { Refused } from './access-problems.js';
import { credentialIn, type Authenticator } from './authenticator.js';

export type Allowed = {
  /** Aborted with `SIGNED_OUT` when whoever is on the line may not read any more. */
  readonly signal: AbortSignal;
  end(): void;
};

/** A stream goes on for hours: how soon it is noticed that a token was taken back or has expired. */
const EVERY_MS = 5_000;

/** Looks again and again whether a request that goes on is still one that would be let in. */
export const whileSignedIn = (authenticator: Authenticator, timer: Timer, request: Request): Allowed => {
  const gone = new AbortController();
  const look = async (): Promise<void> => {
    try {
      const principal = await authenticator.whoIs(credentialIn(request.headers.authorization));
      if (!admits(principal?.roles ?? [], 'viewer')) gone.abort(SIGNED_OUT);
    } catch (error) {
      // Where it cannot be told, it stays as it was: whoever came in came in rightly.
      if (error instanceof Refused) gone.abort(SIGNED_OUT);
    }
  };
  const end = authenticator.required ? timer.every(EVERY_MS, () => void look()) : () => undefined;
  return { signal: gone.signal, end };
};
