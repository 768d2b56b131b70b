import type { Logger } from '@holdfast/sdk';
import type { Clock } from '@holdfast/service';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';

/** Reads the keys of an issuer where they are published. */
export type KeySource = () => Promise<JSONWebKeySet>;
export type KeyPorts = { readonly read: KeySource; readonly clock: Clock; readonly logger: Logger };

/** Durations of keys, ms. */
export const KEY_TIMES = {
  /** Keys are read again when they are so old, so that one which was taken back is forgotten. */
  freshMs: 10 * 60_000,
  /** Where they cannot be read any more, those that are known count for so long. */
  staleMs: 24 * 3_600_000,
  /** Tokens of keys that nobody knows make us read no oftener than this. */
  pauseMs: 10_000,
  /** The same after a failure. */
  againMs: 1_000,
} as const;

/** No key is known, and none can be read. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

type Held = { readonly find: LocalJWKSet; readonly at: number };

/** The keys of one issuer. New ones are looked for when a token names one, so that an issuer may change them any time. */
export class Keys {
  private held: Held | null = null;
  private reading: Promise<void> | null = null;
  private triedAt: number | null = null;
  private trouble = 'it was not asked yet';

  constructor(
    private readonly ports: KeyPorts,
    private readonly times: { readonly [K in keyof typeof KEY_TIMES]: number } = KEY_TIMES,
  ) {}

  /** The key that a token is signed with. Rejects with `KeysUnavailable`, or as jose does where there is none. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const held = await this.usable();
    try {
      return await held.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.mayRead(this.times.pauseMs)) throw error;
      await this.read();
      return (this.held ?? held).find(header, token);
    }
  };

  private async usable(): Promise<Held> {
    if (this.ageOf(this.held) >= this.times.freshMs && this.mayRead(this.times.againMs)) await this.read();
    const { held } = this;
    if (held !== null && this.ageOf(held) < this.times.staleMs) return held;
    throw new KeysUnavailable(`the keys of its issuer cannot be read: ${this.trouble}`);
  }

  private ageOf(held: Held | null): number {
    return held === null ? Infinity : this.ports.clock.monotonic() - held.at;
  }

  private mayRead(pauseMs: number): boolean {
    return this.reading !== null || this.triedAt === null || this.ports.clock.monotonic() - this.triedAt >= pauseMs;
  }

  /** Reads once, however many wait for it. What is known stays where that fails. */
  private read(): Promise<void> {
    this.reading ??= this.readOnce().finally(() => (this.reading = null));
    return this.reading;
  }

  private async readOnce(): Promise<void> {
    try {
      const find = createLocalJWKSet(await this.ports.read());
      this.held = { find, at: this.ports.clock.monotonic() };
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
      this.ports.logger.warn({ detail: this.trouble }, 'the keys of the OIDC issuer cannot be read');
    } finally {
      this.triedAt = this.ports.clock.monotonic();
    }
  }
}
