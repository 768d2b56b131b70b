import type { ISocketFactory, KafkaConfig, LogEntry, SASLOptions } from 'kafkajs';
import type { KafkaAccess, KafkaLogin, KafkaTls } from './access.js';

/** A structured logger as pino has it: fields first, then the message. */
export type KafkaLogger = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>
>;

/** How to reach a cluster. `brokers` are `host:port` seeds, tried in turn. */
export type KafkaOptions = KafkaAccess & {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: KafkaLogger;
  readonly socketFactory?: ISocketFactory;
};

/** A loaded service may be slow to come round to its sockets; refused ports answer at once anyway. */
export const CONNECT_TIMEOUT_MS = 3000;

const ERROR_LEVEL = 1;

/** kafkajs settings for one client object; `retries` is 0 wherever a repeat would write twice. */
export function kafkaConfig(options: KafkaOptions, brokers: readonly string[], requestTimeoutMs: number): KafkaConfig {
  return {
    clientId: options.clientId,
    brokers: [...brokers],
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: requestTimeoutMs,
    retry: { retries: 0 },
    logCreator: () => quietLog(options.logger),
    ...(options.tls === undefined ? {} : { ssl: sslOf(options.tls) }),
    ...(options.login === undefined ? {} : { sasl: saslOf(options.login) }),
    ...(options.socketFactory === undefined ? {} : { socketFactory: options.socketFactory }),
  };
}

/** Every certificate is checked, and that it is the one of the host: there is no way to ask for less. */
export const sslOf = ({ ca, cert, key, serverName }: KafkaTls) => ({
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2' as const,
  ...(ca === undefined ? {} : { ca: [ca] }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
  ...(serverName === undefined ? {} : { servername: serverName }),
});

const saslOf = ({ mechanism, user, password }: KafkaLogin): SASLOptions => ({ mechanism, username: user, password });

/**
 * kafkajs reports each failed try as two to four errors, although the adapter goes on by itself: errors become
 * warnings, the rest debug lines. So do error answers of a broker ("Response ..."), which every caller judges itself.
 */
function quietLog(logger: KafkaLogger): (entry: LogEntry) => void {
  return ({ namespace, level, log }) => {
    const { message, timestamp: _, logger: __, stack: ___, ...fields } = log;
    const loud = (level as number) === ERROR_LEVEL && !message.startsWith('Response ');
    const write = loud ? logger.warn : logger.debug;
    write.call(logger, { kafkajs: namespace, ...fields }, message);
  };
}
