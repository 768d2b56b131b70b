import { refuse, type Place } from '../place.js';
import { asking, type Reference, type Scene } from '../template/reference.js';
import { CannotFill, fillText, referencesInText, wordOf } from '../template/template.js';
import { readText, type Text } from '../template/text.js';

/** The address of a request. Values are filled into segments of its path and into its query, and nowhere else. */
export type Address = {
  /** `https://api.example:8443`; no value is a part of it. */
  readonly origin: string;
  readonly path: readonly Text[];
  readonly query: Text;
};

const ORIGIN = /^https?:\/\/[^/?#\s{}]+(?=[/?]|$)/;

/** Reads `https://api.example/orders/{args.order}?currency={args.currency}`. */
export const readAddress = (raw: string, place: Place): Address => {
  const parts = readText(raw, asking, place);
  const [first] = parts;
  const start = typeof first === 'string' ? joined(parts) : '';
  const origin = ORIGIN.exec(start)?.[0];
  if (origin === undefined || !URL.canParse(origin)) {
    return refuse(place, `must begin with http:// or https:// and a host that no argument is a part of, then / or ?`);
  }
  const url = new URL(origin);
  if (url.username !== '' || url.password !== '') {
    refuse(place, 'must hold no user and password: name them under auth, each by { $env: NAME }');
  }
  const [path = [], ...queries] = split(behind(parts, origin), '?');
  const query = queries.flatMap((part, index) => (index === 0 ? part : ['?', ...part]));
  if ([...path, ...query].some((part) => typeof part === 'string' && part.includes('#'))) {
    refuse(place, 'must hold no #: what follows one is never sent');
  }
  const segments = split(path, '/').slice(1);
  const address = { origin: url.origin, path: segments.length === 0 ? [[]] : segments, query };
  checkPlain(address, place);
  return address;
};

/** The text up to the first reference. */
const joined = (parts: Text): string => {
  const end = parts.findIndex((part) => typeof part !== 'string');
  return end === -1 ? sample(parts) : `${sample(parts.slice(0, end))}{`;
};

const behind = (parts: Text, origin: string): Text => {
  let left = origin.length;
  return parts.flatMap((part): Text => {
    if (typeof part !== 'string') return [part];
    const rest = part.slice(left);
    left = Math.max(0, left - part.length);
    return rest === '' ? [] : [rest];
  });
};

/** A text cut at every `mark` that stands in it; what is filled in later is not looked at. */
const split = (parts: Text, mark: string): readonly Text[] => {
  const pieces: (string | Reference)[][] = [[]];
  for (const part of parts) {
    if (typeof part !== 'string') pieces.at(-1)?.push(part);
    else
      for (const [index, piece] of part.split(mark).entries()) {
        if (index > 0) pieces.push([]);
        if (piece !== '') pieces.at(-1)?.push(piece);
      }
  }
  return pieces;
};

const sample = (parts: Text): string => parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');

/** What stands in the file itself must mean the same to whoever reads it. */
const checkPlain = ({ origin, path, query }: Address, place: Place): void => {
  const written = `/${path.map((segment) => sample(segment)).join('/')}`;
  const url = new URL(`${origin}${written}${query.length === 0 ? '' : `?${sample(query)}`}`);
  if (url.pathname !== written || (query.length > 0 && url.search !== `?${sample(query)}`)) {
    refuse(place, `is not written as it is sent, which would be ${url.href}: write it so, percent-encoded`);
  }
};

/** The URL of one call. Throws `CannotFill` for a value that would change the structure of its path. */
export const fillAddress = (address: Address, scene: Scene, more: readonly (readonly [string, string])[]): URL => {
  const path = address.path.map((segment) => fillSegment(segment, scene)).join('/');
  const queries = [
    ...(address.query.length === 0 ? [] : [fillText(address.query, scene, encode)]),
    ...more.map(([name, value]) => `${encode(name)}=${encode(value)}`),
  ];
  const url = new URL(`${address.origin}/${path}${queries.length === 0 ? '' : `?${queries.join('&')}`}`);
  if (url.origin !== address.origin || url.pathname !== `/${path}`) {
    throw new CannotFill('the arguments would change the path of the request');
  }
  return url;
};

const fillSegment = (segment: Text, scene: Scene): string => {
  const references = referencesInText(segment);
  if (references.length === 0) return sample(segment);
  const filled = fillText(segment, scene);
  const names = references.map(({ text }) => text).join(', ');
  if (filled === '') throw new CannotFill(`${names} is empty, and the path would be another one`);
  // Some servers decode a path before they look at its segments.
  if (filled.split(/[/\\]/).some((part) => isDots(part))) {
    throw new CannotFill(`${names} holds . or .. as a part of a path, which would lead elsewhere`);
  }
  return segment.map((part) => (typeof part === 'string' ? part : encode(wordOf(part, scene)))).join('');
};

const isDots = (part: string): boolean => /^(?:\.|%2e){1,2}$/i.test(part);

const encode = (value: string): string => encodeURIComponent(value.toWellFormed());

/** All references in an address. */
export const referencesInAddress = ({ path, query }: Address): readonly Reference[] =>
  [...path.flat(), ...query].filter((part): part is Reference => typeof part !== 'string');
