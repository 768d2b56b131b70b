import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { sslOf, type KafkaOptions } from './options.js';

/** What a port turned out to be: Kafka for anybody, Kafka for those who log in, TLS with something in it, or neither. */
export type Spoken = 'kafka' | 'kafka-login' | 'tls' | 'other';

const WAIT_MS = 2_000;
const API_VERSIONS = 18;
const METADATA = 3;

/**
 * Finds out what a port speaks, for a message that people can act on: a client sees no more than a closed connection
 * when it speaks the wrong way. A TLS connection that comes about, or fails for a certificate, proves TLS.
 */
export const speaks = async (address: string, options: KafkaOptions, tls: boolean): Promise<Spoken> => {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  const port = Number(address.slice(at + 1));
  const name = isIP(host) === 0 ? { servername: host } : {};
  return tls
    ? talk(() => connectTls({ host, port, ...name, ...sslOf(options.tls ?? {}) }), 'secureConnect')
    : talk(() => connectPlain({ host, port }), 'connect');
};

/** A broker tells anybody its versions; what follows is answered only to those who need no login, or have logged in. */
const talk = (open: () => Socket, opened: 'connect' | 'secureConnect'): Promise<Spoken> =>
  new Promise((resolve) => {
    const socket = open();
    let spoken: Spoken = 'other';
    const done = (found: Spoken): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(WAIT_MS, () => done(spoken));
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      done(opened === 'secureConnect' && isCertificateCode(code) ? 'tls' : spoken),
    );
    socket.on('close', () => done(spoken));
    socket.on(opened, () => {
      spoken = opened === 'secureConnect' ? 'tls' : 'other';
      socket.write(request(API_VERSIONS, 0, Buffer.alloc(0)));
    });
    socket.on('data', (chunk: Buffer) => {
      if (spoken === 'kafka-login') return done('kafka');
      // Length and correlation id: anything else that answers is no broker.
      if (chunk.length < 8 || chunk.readInt32BE(4) !== API_VERSIONS) return done(spoken);
      spoken = 'kafka-login';
      socket.write(request(METADATA, 1, Buffer.alloc(4)));
    });
  });

/** Length, api key, version, the key as correlation id, no client id, and what is asked. */
const request = (apiKey: number, version: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + body.length, 0);
  head.writeInt16BE(apiKey, 4);
  head.writeInt16BE(version, 6);
  head.writeInt32BE(apiKey, 8);
  head.writeInt16BE(-1, 12);
  return Buffer.concat([head, body]);
};

/** What Node.js and OpenSSL call a certificate, of either side, that is not taken. */
export const isCertificateCode = (code: string | undefined): boolean =>
  code !== undefined && /CERT|SIGNATURE|CRL|ISSUER|ERR_TLS|UNKNOWN_CA/.test(code);
