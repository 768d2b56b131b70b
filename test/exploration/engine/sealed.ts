/** The same value, never to be changed again: it may be shared by copies, and whoever changes it throws. */
export const sealed = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  // Views of bytes cannot be frozen; nobody writes into them.
  if (value instanceof Uint8Array) return value;
  Object.freeze(value);
  if (value instanceof Map) for (const one of value.values()) sealed(one);
  else for (const one of Object.values(value)) sealed(one);
  return value;
};
