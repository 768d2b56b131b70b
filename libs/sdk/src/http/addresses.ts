import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';

/** Why no connection may be made to an IP address; undefined where it may. */
export type RefuseAddress = (address: string) => string | undefined;

/** A connection that the rules of a request do not allow. It was not made, or nothing was sent over it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'address_refused';
}

/** Where the host of a URL is an address itself no name is looked up, so it is asked about here. */
export const checkHost = (url: URL, refuse: RefuseAddress): void => {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) check(host, refuse);
};

/** The address that the socket is connected to, whoever has connected it. */
export const checkPeer = (socket: Socket, refuse: RefuseAddress): void => {
  if (socket.remoteAddress === undefined) throw new AddressRefused('it is not known whom the connection is to');
  check(socket.remoteAddress, refuse);
};

const check = (address: string, refuse: RefuseAddress): void => {
  const reason = refuse(address);
  if (reason !== undefined) throw new AddressRefused(reason);
};

/** A name is looked up once, and only the addresses that may be connected to are handed on. */
export const lookupAllowed =
  (refuse: RefuseAddress): LookupFunction =>
  (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true } as LookupOptions & { all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const refused = new Map(found.map(({ address }) => [address, refuse(address)]));
      const allowed = found.filter(({ address }) => refused.get(address) === undefined);
      const [first] = allowed;
      if (first === undefined) return callback(new AddressRefused(reasons(hostname, found, refused)), []);
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };

const reasons = (
  hostname: string,
  found: readonly LookupAddress[],
  refused: ReadonlyMap<string, string | undefined>,
): string => `${hostname} stands for ${found.map(({ address }) => refused.get(address) ?? address).join('; ')}`;
