import { findSecret, knownSecrets } from '@holdfast/sdk';
import { ConfigError, type Environment } from './read-config.js';

/**
 * Makes the secrets known that tools read out of the environment by themselves (`HOLDFAST_SECRETS`), so that they are
 * masked in whatever leaves this process. Throws `ConfigError` where one is missing.
 */
export const rememberSecrets = (names: readonly string[], env: Environment): void => {
  const problems = names.flatMap((name) => {
    try {
      const value = findSecret(name, env);
      if (value === undefined) return [`HOLDFAST_SECRETS: there is no variable ${name}, and no ${name}_FILE`];
      knownSecrets.add(name, value);
      return [];
    } catch (error) {
      return [`HOLDFAST_SECRETS: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
};
