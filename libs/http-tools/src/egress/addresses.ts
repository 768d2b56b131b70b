import ipaddr from 'ipaddr.js';
import { refuse, type Place } from '../place.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = readonly [Address, number];

/** Reads `10.2.0.0/16`, `127.0.0.1`, `fd00::/8`. */
export const readRange = (text: string, place: Place): AddressRange => {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    return refuse(place, `${text} is no range of addresses: write it like 10.2.0.0/16, 127.0.0.1 or fd00::/8`);
  }
};

/**
 * Why an address may not be connected to: it is not one of the public internet, and not in a range that was allowed. An
 * IPv4 address inside an IPv6 one counts as what it stands for.
 */
export const refusalOf = (text: string, allowed: readonly AddressRange[]): string | undefined => {
  const address = parseOrNull(text);
  if (address === null) return `${text} is no address that is understood`;
  if (allowed.some((range) => isIn(address, range))) return undefined;
  const kind = address.range();
  if (kind === 'unicast') return undefined;
  return `${text} is no public address (${WORDS[kind] ?? kind}); if it is meant, name it under egress.addresses`;
};

const WORDS: Readonly<Record<string, string>> = {
  linkLocal: 'link-local, where metadata services are',
  uniqueLocal: 'private',
  carrierGradeNat: 'shared by a carrier',
  rfc6052: 'IPv4 behind NAT64',
  rfc6145: 'IPv4 behind translation',
};

const isIn = (address: Address, [base, bits]: AddressRange): boolean =>
  address.kind() === base.kind() && address.match(base as never, bits);

// Zone ids (`fe80::1%eth0`) say which network card, not which address.
const parse = (text: string): Address => ipaddr.process(text.replace(/%.*$/, ''));

const parseOrNull = (text: string): Address | null => {
  try {
    return parse(text);
  } catch {
    return null;
  }
};
