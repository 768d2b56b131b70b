/** A record's own entry. Names come from users: `constructor` must find what the user put there, never the prototype. */
export const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
