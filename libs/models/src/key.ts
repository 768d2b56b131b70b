import { findSecret, knownSecrets, secret } from '@holdfast/sdk';
import { modelFailure } from './failures.js';

/** The key of an endpoint: the name of the variable that holds it, the key itself, or null where it wants none. */
export type ModelKey = { readonly $env: string } | string | null;

/** Where a key comes from, for messages: the name of its variable, if it has one. */
export const keyNameOf = (key: ModelKey): string | null => (key === null || typeof key === 'string' ? null : key.$env);

/**
 * The key, masked from then on in whatever leaves this process. Read when a model is called and not when its tool is
 * loaded: a reconciler and the command line load tools too, and have no use for keys.
 */
export const keyOf = (key: ModelKey, label: string): string | null => {
  if (key === null) return null;
  if (typeof key === 'string') {
    knownSecrets.add(`key of ${label}`, key);
    return key;
  }
  try {
    return secret(key.$env);
  } catch (error) {
    throw modelFailure('model_not_configured', `${label} cannot be asked: ${(error as Error).message}`);
  }
};

/** Masks a key before it is used, where it is there already. */
export const maskKey = (key: ModelKey, label: string): void => {
  if (key === null) return;
  if (typeof key === 'string' || findSecret(key.$env, process.env) !== undefined) keyOf(key, label);
};
