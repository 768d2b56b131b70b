const KEY = 'holdfast-principal';

/** Who the person at this page says they are: sent with every change, kept in this browser. */
export const principal = (): string => {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
};

export const rememberPrincipal = (name: string): void => {
  try {
    localStorage.setItem(KEY, headerSafe(name));
  } catch {
    // No storage: it counts until the page is left.
  }
};

/** What a header may hold. */
export const headerSafe = (name: string): string =>
  name
    .trim()
    .replaceAll(/[^ -~]/g, '')
    .slice(0, 100);
