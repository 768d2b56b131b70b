import { principalOf } from './access.js';
import { answerType } from './internals.js';
import type { KafkaOptions } from './options.js';
import { isCertificateCode, speaks } from './probe.js';

type Said = { readonly name: string; readonly message: string; readonly code: string | undefined };

/**
 * Why the cluster does not let this client in, in a sentence that says what to do; null where trying again may help: a
 * broker that is away, or is just coming back.
 */
export const deniedReason = async (options: KafkaOptions, error: unknown): Promise<string | null> => {
  const chain = causesOf(error);
  return loginReason(options, error, chain) ?? certificateReason(options, chain) ?? (await portReason(options, chain));
};

const causesOf = (error: unknown): readonly Said[] => {
  const said: Said[] = [];
  for (let at = error; at instanceof Error && said.length < 10; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    said.push({ name: at.name, message: at.message, code: typeof code === 'string' ? code : undefined });
  }
  return said;
};

const loginReason = (options: KafkaOptions, error: unknown, chain: readonly Said[]): string | null => {
  const mechanism = options.login?.mechanism.toUpperCase() ?? 'none';
  const type = answerType(error);
  const refused = chain.find(({ name }) => name === 'KafkaJSSASLAuthenticationError');
  if (type === 'UNSUPPORTED_SASL_MECHANISM' || refused?.message.includes('not supported') === true)
    return `it does not know the login ${mechanism}; set HOLDFAST_KAFKA_SASL to one that the brokers have enabled`;
  if (refused !== undefined || type === 'SASL_AUTHENTICATION_FAILED')
    return `it refuses the login of ${principalOf(options)} by ${mechanism}: the password is wrong, or there is no such user; check HOLDFAST_KAFKA_USER and HOLDFAST_KAFKA_PASSWORD_FILE`;
  if (type === 'CLUSTER_AUTHORIZATION_FAILED') return `${principalOf(options)} may do nothing there`;
  return null;
};

const certificateReason = (options: KafkaOptions, chain: readonly Said[]): string | null => {
  const found = chain.find(({ code }) => isCertificateCode(code));
  if (found === undefined) return null;
  const why = found.message.replace(/^Connection error: /, '');
  if (found.code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name (${why}); name it as its certificate does, or set HOLDFAST_KAFKA_SERVER_NAME to that name`;
  if (/ALERT/.test(found.code ?? ''))
    return options.tls?.cert === undefined
      ? `it wants a certificate of its clients (${why}); set HOLDFAST_KAFKA_CERT_FILE and HOLDFAST_KAFKA_KEY_FILE`
      : `it does not take the certificate of HOLDFAST_KAFKA_CERT_FILE (${why})`;
  if (/EXPIRED|NOT_YET_VALID/.test(found.code ?? ''))
    return `its certificate is not valid now (${why}); renew it, and check the clock of this machine`;
  const trusted =
    options.tls?.ca === undefined ? 'what Node.js trusts; set HOLDFAST_KAFKA_CA_FILE' : 'HOLDFAST_KAFKA_CA_FILE';
  return `nobody vouches for its certificate (${why}) by ${trusted}`;
};

/** A connection that is closed early may mean that the port speaks another way. It is asked, before that is said. */
const portReason = async (options: KafkaOptions, chain: readonly Said[]): Promise<string | null> => {
  if (!chain.some(({ message, code }) => code === 'ECONNRESET' || /closed|disconnected|Not connected/i.test(message)))
    return null;
  const withTls = options.tls !== undefined;
  for (const broker of options.brokers) {
    const same = await speaks(broker, options, withTls);
    if (same === 'kafka-login' && options.login === undefined)
      return `${broker} wants a login, and none is given; set HOLDFAST_KAFKA_SASL, HOLDFAST_KAFKA_USER and HOLDFAST_KAFKA_PASSWORD_FILE`;
    if (same.startsWith('kafka')) continue;
    const other = await speaks(broker, options, !withTls);
    if (withTls && other.startsWith('kafka'))
      return `${broker} speaks no TLS; name the port that does, or set HOLDFAST_KAFKA_TLS=false where nobody can listen`;
    if (!withTls && other !== 'other') return `${broker} speaks TLS only; set HOLDFAST_KAFKA_TLS=true`;
  }
  return null;
};
