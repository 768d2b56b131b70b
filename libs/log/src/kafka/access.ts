import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const kafkaMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export type KafkaMechanism = (typeof kafkaMechanisms)[number];

/** A connection that nobody can read, to a broker that has proved who it is. PEM throughout. */
export type KafkaTls = {
  /** Who vouches for the brokers; what Node.js trusts where absent. */
  readonly ca?: string;
  /** What this client shows, where brokers ask for it; with `key`. */
  readonly cert?: string;
  readonly key?: string;
  /** The name that the brokers' certificates must have, where it is not their address. */
  readonly serverName?: string;
};
export type KafkaLogin = { readonly mechanism: KafkaMechanism; readonly user: string; readonly password: string };

/** How to be let into a cluster: not at all protected, TLS, a login, or both. */
export type KafkaAccess = { readonly tls?: KafkaTls; readonly login?: KafkaLogin };

/** The settings behind an access, as people give them. */
export type KafkaAccessSettings = {
  readonly kafkaTls?: boolean | undefined;
  readonly kafkaCaFile?: string | undefined;
  readonly kafkaCertFile?: string | undefined;
  readonly kafkaKeyFile?: string | undefined;
  readonly kafkaServerName?: string | undefined;
  readonly kafkaSasl?: KafkaMechanism | 'none' | undefined;
  readonly kafkaUser?: string | undefined;
  readonly kafkaPassword?: string | undefined;
};

/** The settings of an access contradict each other, or name files that are not what they should be. */
export class KafkaAccessInvalid extends Error {
  override readonly name = 'KafkaAccessInvalid';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
  }
}

/** Makes an access of settings; files are read now and not again. Throws `KafkaAccessInvalid` with all that is wrong. */
export const kafkaAccess = (settings: KafkaAccessSettings): KafkaAccess => {
  const problems = contradictions(settings);
  const file = (variable: string, path: string | undefined, fits: (text: string) => void): string | undefined => {
    if (path === undefined) return undefined;
    try {
      const text = readFileSync(path, 'utf8');
      fits(text);
      return text;
    } catch (error) {
      problems.push(`${variable}: ${path} ${reasonOf(error)}`);
      return undefined;
    }
  };
  const ca = file('HOLDFAST_KAFKA_CA_FILE', settings.kafkaCaFile, isCertificate);
  const cert = file('HOLDFAST_KAFKA_CERT_FILE', settings.kafkaCertFile, isCertificate);
  const key = file('HOLDFAST_KAFKA_KEY_FILE', settings.kafkaKeyFile, isKey);
  if (problems.length > 0) throw new KafkaAccessInvalid(problems);
  const { kafkaTls = false, kafkaServerName: serverName } = settings;
  const login = loginOf(settings);
  return {
    ...(kafkaTls ? { tls: { ...defined({ ca, cert, key, serverName }) } } : {}),
    ...(login === undefined ? {} : { login }),
  };
};

/** Who an access is to the brokers, as access lists name it, as far as the client can know. */
export const principalOf = ({ tls, login }: KafkaAccess): string => {
  if (login !== undefined) return `User:${login.user}`;
  if (tls?.cert === undefined) return 'User:ANONYMOUS';
  return `User:${new X509Certificate(tls.cert).subject.split('\n').toReversed().join(',')}`;
};

/** What is missing, and what gives it. */
export const deniedWords = (principal: string, operation: string, resource: string): string =>
  `${principal} may not ${operation} ${resource}; grant it with: holdfast acls --apply --principal <role>=${principal}`;

const loginOf = ({ kafkaSasl = 'none', kafkaUser, kafkaPassword }: KafkaAccessSettings): KafkaLogin | undefined =>
  kafkaSasl === 'none' || kafkaUser === undefined || kafkaPassword === undefined
    ? undefined
    : { mechanism: kafkaSasl, user: kafkaUser, password: kafkaPassword };

const contradictions = (settings: KafkaAccessSettings): string[] => {
  const { kafkaTls = false, kafkaSasl = 'none', kafkaUser, kafkaPassword } = settings;
  const { kafkaCaFile, kafkaCertFile, kafkaKeyFile, kafkaServerName } = settings;
  const isLogin = kafkaSasl !== 'none';
  const needTls = {
    CA_FILE: kafkaCaFile,
    CERT_FILE: kafkaCertFile,
    KEY_FILE: kafkaKeyFile,
    SERVER_NAME: kafkaServerName,
  };
  const without = Object.entries(needTls).filter(([, value]) => !kafkaTls && value !== undefined);
  return [
    ...without.map(([name]) => `HOLDFAST_KAFKA_${name}: is set, but HOLDFAST_KAFKA_TLS is not true`),
    ...only(kafkaCertFile, kafkaKeyFile, 'HOLDFAST_KAFKA_KEY_FILE: the key of HOLDFAST_KAFKA_CERT_FILE is not named'),
    ...only(
      kafkaKeyFile,
      kafkaCertFile,
      'HOLDFAST_KAFKA_CERT_FILE: the certificate of HOLDFAST_KAFKA_KEY_FILE is not named',
    ),
    ...(isLogin && kafkaUser === undefined ? [`HOLDFAST_KAFKA_USER: HOLDFAST_KAFKA_SASL ${kafkaSasl} needs it`] : []),
    ...(isLogin && kafkaPassword === undefined
      ? [`HOLDFAST_KAFKA_PASSWORD_FILE: HOLDFAST_KAFKA_SASL ${kafkaSasl} needs it, or HOLDFAST_KAFKA_PASSWORD`]
      : []),
    ...(!isLogin && (kafkaUser !== undefined || kafkaPassword !== undefined)
      ? [`HOLDFAST_KAFKA_SASL: a user or a password is given; name how to log in, one of ${kafkaMechanisms.join(', ')}`]
      : []),
  ];
};

const only = (have: unknown, lack: unknown, problem: string): string[] =>
  have !== undefined && lack === undefined ? [problem] : [];

const isCertificate = (text: string): void => void new X509Certificate(text);
const isKey = (text: string): void => {
  if (!/-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/.test(text)) throw new Error('holds no private key in PEM');
};

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'is not there';
  if (code === 'EACCES') return 'may not be read by this process';
  return code?.startsWith('ERR_OSSL') === true ? 'holds no certificate in PEM' : message;
};

const defined = <T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
