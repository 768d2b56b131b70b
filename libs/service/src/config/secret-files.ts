import { statSync } from 'node:fs';
import { findSecret, knownSecrets } from '@holdfast/sdk';
import type { Environment } from './read-config.js';

/** A secret setting is the variable itself, or a file that `<variable>_FILE` names. */
export const fileVariable = (variable: string): string => `${variable}_FILE`;

/**
 * The environment with secrets read out of their files, and what is wrong with those. Each is masked from now on in
 * whatever leaves this process. A file that is a setting of its own (one of `settings`) is left to who reads it.
 */
export const withSecrets = (
  env: Environment,
  variables: readonly string[],
  settings: ReadonlySet<string>,
): { readonly env: Environment; readonly problems: readonly string[] } => {
  const problems: string[] = [];
  const found = variables.flatMap((variable): [string, string][] => {
    const isOwn = settings.has(fileVariable(variable));
    try {
      const value = findSecret(variable, env);
      if (value === undefined) return [];
      knownSecrets.add(variable, value);
      return isOwn ? [] : [[variable, value]];
    } catch (error) {
      if (!isOwn) problems.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  return { env: { ...env, ...Object.fromEntries(found) }, problems };
};

const FOR_OTHERS = 0o077;
const FOR_ALL = 0o004;

/** What is careless about files with secrets: that everybody on the machine may read them. */
export const carelessFiles = (env: Environment): readonly string[] =>
  Object.entries(env).flatMap(([variable, file]) => {
    if (!/^(HOLDFAST_|DATABASE_URL).*_FILE$/.test(variable) || /_(CA|CERT)_FILE$|FAILPOINT/.test(variable)) return [];
    const mode = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.mode;
    if (mode === undefined || (mode & FOR_ALL) === 0) return [];
    const octal = (mode & (0o700 | FOR_OTHERS)).toString(8);
    return [`${variable}: everybody on this machine may read ${file} (mode ${octal}); take that away with chmod o-r`];
  });
