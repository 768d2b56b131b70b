import { connect } from 'node:tls';
import type { NodeAddress } from './kafka.config.js';

/** A broker that asks who one is: by a password over TLS, or by a certificate at its second port. */
export type SecuredOptions = {
  /** The key and the certificates of the broker, PEM in one file. */
  readonly keyStore: string;
  /** Who vouches for certificates of clients, and for the broker's own; PEM. */
  readonly caFile: string;
  readonly ca: string;
  /** The port that takes certificates alone. */
  readonly certificatePort: number;
  /** Passwords by user. `broker` is the broker's own, `admin` may do everything. */
  readonly plain: Readonly<Record<string, string>>;
  readonly scram: Readonly<Record<string, string>>;
};

/** What a secured broker's settings have in the place of those of an open one. */
export const securedProperties = (
  { port, controllerPort }: NodeAddress,
  { keyStore, caFile, certificatePort, plain }: SecuredOptions,
): Readonly<Record<string, string>> => ({
  listeners: `SASL_SSL://127.0.0.1:${port},CERT://127.0.0.1:${certificatePort},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': `SASL_SSL://127.0.0.1:${port},CERT://127.0.0.1:${certificatePort}`,
  'listener.security.protocol.map': 'SASL_SSL:SASL_SSL,CERT:SSL,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'SASL_SSL',
  'sasl.mechanism.inter.broker.protocol': 'PLAIN',
  'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
  'listener.name.sasl_ssl.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="${plain['broker'] ?? ''}" ${usersOf(plain)};`,
  'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config':
    'org.apache.kafka.common.security.scram.ScramLoginModule required;',
  'listener.name.cert.ssl.client.auth': 'required',
  'ssl.keystore.type': 'PEM',
  'ssl.keystore.location': keyStore,
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.location': caFile,
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'allow.everyone.if.no.acl.found': 'false',
  // Without a login one comes in through the controller's port alone, which only the broker itself uses.
  'super.users': 'User:broker;User:admin;User:ANONYMOUS',
});

const usersOf = (users: Readonly<Record<string, string>>): string =>
  Object.entries(users)
    .map(([user, password]) => `user_${user}="${password}"`)
    .join(' ');

/** Credentials that the data folder has from the beginning. */
export const scramArguments = ({ scram }: SecuredOptions): readonly string[] =>
  Object.entries(scram).flatMap(([user, password]) => [
    '--add-scram',
    `SCRAM-SHA-512=[name=${user},password=${password}]`,
  ]);

const WAIT_MS = 1_000;
/** Length 10; api key 18, version 0; correlation id 1; no client id. */
const API_VERSIONS = '0000000a0012000000000001ffff';

/** 1 when the broker at this port tells its versions over TLS, which it does to anybody; 0 while it does not. */
export const securedBrokerAlive = (port: number, ca: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca: [ca] });
    const done = (count: number): void => {
      socket.destroy();
      resolve(count);
    };
    socket.setTimeout(WAIT_MS, () => done(0));
    socket.on('error', () => done(0));
    socket.on('close', () => done(0));
    socket.on('secureConnect', () => socket.write(API_VERSIONS, 'hex'));
    socket.on('data', () => done(1));
  });
