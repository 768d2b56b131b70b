import { readFileSync } from 'node:fs';
import { knownSecrets } from './secrets.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The secret with this name: the variable, or what stands in the file that `<name>_FILE` names, without the line end.
 * From then on it is masked in whatever leaves this process. Throws where it is given twice or not at all.
 */
export const secret = (name: string, env: Env = process.env): string => {
  const value = findSecret(name, env);
  if (value === undefined)
    throw new Error(`there is no secret ${name}: set ${name}_FILE to a file that holds it, or ${name}`);
  knownSecrets.add(name, value);
  return value;
};

/** The same where it may be missing; nothing is masked by it yet. */
export const findSecret = (name: string, env: Env): string | undefined => {
  const [value, file] = [env[name], env[`${name}_FILE`]].map((text) =>
    text?.trim() === '' ? undefined : text?.trim(),
  );
  if (value !== undefined && file !== undefined) throw new Error(`${name} and ${name}_FILE are both set: remove one`);
  return file === undefined ? value : readSecretFile(`${name}_FILE`, file);
};

const readSecretFile = (variable: string, file: string): string => {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Error(`${variable}: ${file} cannot be read (${code})`, { cause: error });
  }
  throw new Error(`${variable}: ${file} is empty`);
};
