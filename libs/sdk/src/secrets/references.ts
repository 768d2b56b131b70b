import type { Json } from '@holdfast/programs';
import { secret } from './secret.js';

type Env = Readonly<Record<string, string | undefined>>;

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const WHOLE_NAME = new RegExp(`^${NAME}$`);
const IN_TEXT = new RegExp(`\\$\\{env:(${NAME})\\}`, 'g');

/** A reference that leads nowhere or has not the form of one, with the place in the value that it stands at. */
export class SecretReferenceProblem extends Error {
  override readonly name = 'SecretReferenceProblem';
  constructor(
    /** `tools[0].auth.bearer`; empty for the value itself. */
    readonly at: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(at === '' ? problem : `${at}: ${problem}`, options);
  }
}

/**
 * The value with every `{ $env: NAME }`, and every `${env:NAME}` inside a text, replaced by the secret of that name. All
 * of them are masked from then on in whatever leaves this process. Throws `SecretReferenceProblem` with the place.
 */
export const withReferencedSecrets = (value: Json, env: Env = process.env): Json => replaced(value, '', env);

const replaced = (value: Json, at: string, env: Env): Json => {
  if (typeof value === 'string') return inText(value, at, env);
  if (Array.isArray(value)) return value.map((one, index) => replaced(one as Json, `${at}[${index}]`, env));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '$env')) return ofObject(value as { readonly [key: string]: Json }, at, env);
  const entries = Object.entries(value).map(([key, one]): [string, Json] => [
    key,
    replaced(one as Json, at === '' ? key : `${at}.${key}`, env),
  ]);
  return Object.fromEntries(entries);
};

const inText = (text: string, at: string, env: Env): string => {
  const whole = text.replace(IN_TEXT, (_, name: string) => found(name, at, env));
  // Looked for in what stands in the file, not in what a secret may hold.
  if (text.replace(IN_TEXT, '').includes('${env:')) {
    throw new SecretReferenceProblem(at, 'a reference to a secret is written ${env:NAME}');
  }
  return whole;
};

const ofObject = (object: { readonly [key: string]: Json }, at: string, env: Env): string => {
  const name = object['$env'];
  if (typeof name !== 'string' || !WHOLE_NAME.test(name) || Object.keys(object).length > 1) {
    throw new SecretReferenceProblem(at, 'a reference to a secret is written { $env: NAME }, with nothing beside it');
  }
  return found(name, at, env);
};

const found = (name: string, at: string, env: Env): string => {
  try {
    return secret(name, env);
  } catch (error) {
    throw new SecretReferenceProblem(at, (error as Error).message, { cause: error });
  }
};

const CREDENTIAL = /authorization|cookie|key|token|secret|passw/i;

/** Whether a header or a variable is called like one that holds a credential. */
export const isCalledCredential = (name: string): boolean => CREDENTIAL.test(name);

/** Whether a text holds nothing that could be a secret: what is left of it without its references is a scheme, or nothing. */
export const isByReference = (value: Json): boolean => {
  if (typeof value === 'object' && value !== null) return Object.hasOwn(value, '$env');
  return (
    typeof value === 'string' &&
    /^\s*(?:[A-Za-z][A-Za-z-]*\s+)?$/.test(value.replace(IN_TEXT, '')) &&
    value.search(IN_TEXT) >= 0
  );
};
