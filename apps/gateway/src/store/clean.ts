import type { Json } from '@holdfast/programs';

const NUL = '\0';
const SURROGATE = /[\ud800-\udfff]/;

/** Text as the database keeps it: it knows neither the character of the number 0 nor half a pair. */
export const cleanText = (value: string): string => {
  const whole = SURROGATE.test(value) ? Buffer.from(value, 'utf8').toString('utf8') : value;
  return whole.includes(NUL) ? whole.replaceAll(NUL, '\ufffd') : whole;
};

/** The same within what is searched; `json` columns keep what they are given. */
export const cleanJson = (value: Json): Json => {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleanJson(one as Json)]));
};
