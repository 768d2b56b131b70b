export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

/** A path with its query: lists are repeated names, what is empty is left out. */
export const pathWith = (path: string, query: Readonly<Record<string, QueryValue>> = {}): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) params.append(name, one);
    else if (value !== undefined && value !== null && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
};
