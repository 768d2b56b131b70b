/** By what the person at this page shows who they are. */
const KEY = 'holdfast-token';

const listeners = new Set<() => void>();
/** Where the browser keeps nothing it counts until the page is left. */
let held: string | null = null;
let why: string | null = null;

/** Kept by the tab and no longer: never in a cookie, which pages of others could make use of, and never in an address. */
const storage = (): Storage | null => {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
};

export const token = (): string | null => held ?? storage()?.getItem(KEY) ?? null;

/** Why nobody is signed in any more; null where nobody was, or they left. */
export const refusal = (): string | null => why;

export const signIn = (shown: string): void => {
  held = shown;
  why = null;
  storage()?.setItem(KEY, shown);
  tell();
};

export const signOut = (because: string | null = null): void => {
  held = null;
  why = because;
  storage()?.removeItem(KEY);
  tell();
};

const tell = (): void => {
  for (const listener of listeners) listener();
};

/** Calls back whenever somebody else is signed in, or nobody. Answers how to end that. */
export const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What a request shows for itself. */
export const shown = (): Record<string, string> => {
  const now = token();
  return now === null ? {} : { authorization: `Bearer ${now}` };
};

/** What can stand in a header. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9._~+/=-]+$/.test(text);
