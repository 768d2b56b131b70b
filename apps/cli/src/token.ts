import { readFileSync } from 'node:fs';
import { EXIT, Problem } from './problem.js';

/** As it can stand in a header. */
const TOKEN = /^[A-Za-z0-9._~+/=-]+$/;

/**
 * What says to a gateway who asks. Never an argument: arguments stand in the list of processes and in the history of the
 * shell. Null where nothing is given.
 */
export const tokenOf = (file: string | undefined, env: Readonly<Record<string, string | undefined>>): string | null => {
  const isNamed = file !== undefined && file !== '';
  const token = (isNamed ? contents(file) : (env['HOLDFAST_TOKEN'] ?? '')).trim();
  if (token === '' && !isNamed) return null;
  if (TOKEN.test(token)) return token;
  const what = isNamed ? `the file ${file} holds` : 'HOLDFAST_TOKEN is';
  throw new Problem(EXIT.usage, `${what} no token: it must be one line of letters, digits and . _ ~ + / = -`, '');
};

const contents = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { message } = error as Error;
    throw new Problem(EXIT.usage, `the token cannot be read: ${message}`, 'Check --token-file or HOLDFAST_TOKEN_FILE.');
  }
};
