import {
  kafkaAccess,
  KafkaAccessInvalid,
  kafkaMechanisms,
  type KafkaAccess,
  type KafkaAccessSettings,
} from '@holdfast/log';
import { knownSecrets } from '@holdfast/sdk';
import { z } from 'zod';
import { ConfigError, readConfig, type Environment } from './read-config.js';
import { oneOf, setting, yesOrNo } from './settings.js';

const pemFile = (about: string) =>
  setting('the path of a PEM file', (text) => (text === '' ? undefined : text))
    .optional()
    .describe(about);

/** How brokers are reached; every service, its workers and the command line read the same. */
export const kafkaSettings = {
  kafkaTls: yesOrNo()
    .default(false)
    .describe('whether brokers are spoken to over TLS; their certificates are checked always'),
  kafkaCaFile: pemFile('who vouches for the brokers; what Node.js trusts where it is not set'),
  kafkaCertFile: pemFile('what brokers are shown that ask for a certificate'),
  kafkaKeyFile: pemFile('the key of that certificate'),
  kafkaServerName: setting('a host name', (text) => (/^\S+$/.test(text) ? text : undefined))
    .optional()
    .describe("the name in the brokers' certificates, where it is not their address"),
  kafkaSasl: oneOf('none', ...kafkaMechanisms)
    .default('none')
    .describe('how to log in to the brokers'),
  kafkaUser: setting('the name of a user', (text) => (text === '' ? undefined : text))
    .optional()
    .describe('who logs in to the brokers'),
  kafkaPassword: setting('a password', (text) => (text === '' ? undefined : text), { secret: true })
    .optional()
    .describe('the password of that user'),
};

/** The access that settings describe. Files are read now. Throws `ConfigError`. */
export const accessOf = (settings: KafkaAccessSettings): KafkaAccess => {
  try {
    const access = kafkaAccess(settings);
    if (access.tls?.key !== undefined) knownSecrets.add('HOLDFAST_KAFKA_KEY_FILE', access.tls.key);
    return access;
  } catch (error) {
    throw error instanceof KafkaAccessInvalid ? new ConfigError(error.problems) : error;
  }
};

/** The access that an environment describes, whatever else it holds. Throws `ConfigError`. */
export const accessFrom = (env: Environment): KafkaAccess => {
  const own = Object.entries(env).filter(([name]) => name.startsWith('HOLDFAST_KAFKA_'));
  return accessOf(readConfig(z.object(kafkaSettings), Object.fromEntries(own)) as KafkaAccessSettings);
};
