import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { Json } from '@holdfast/programs';
import { EXIT, Problem } from './problem.js';

/** The JSON in a file; `-` is standard input. */
export const jsonFile = async (path: string, what: string): Promise<Json> => parse(await text(path, what), path, what);

/** JSON given in place, or the path of a file that holds it. */
export const jsonOrFile = async (given: string, what: string): Promise<Json> => {
  const literal = /^\s*([[{"]|-?\d|true\b|false\b|null\b)/.test(given) && given !== '-';
  return literal ? parse(given, 'the command line', what) : jsonFile(given, what);
};

/** `key=value` pairs, gathered over repeats of an option. */
export const label = (pair: string, known: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const at = pair.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('give it as key=value');
  return { ...known, [pair.slice(0, at)]: pair.slice(at + 1) };
};

const text = async (path: string, what: string): Promise<string> => {
  try {
    return path === '-' ? await standardInput() : await readFile(path, 'utf8');
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new Problem(EXIT.usage, `${what} cannot be read from ${path}: ${reason}`, 'Check the path.');
  }
};

const standardInput = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const parse = (content: string, from: string, what: string): Json => {
  try {
    return JSON.parse(content) as Json;
  } catch (error) {
    throw new Problem(EXIT.usage, `${what} from ${from} is not JSON: ${(error as Error).message}`, 'Correct the JSON.');
  }
};
