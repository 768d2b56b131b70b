import { InvalidArgumentError } from 'commander';
import type { Json } from '@holdfast/programs';
import { parseJson, valueIn } from './source/source.js';

/** JSON given in place, or the path of a file that holds it; a file of YAML is known by its name. */
export const jsonOrFile = async (given: string, what: string): Promise<Json> => {
  const literal = /^\s*([[{"]|-?\d|true\b|false\b|null\b)/.test(given) && given !== '-';
  return literal ? parseJson(given, 'the command line', what) : valueIn(given, what);
};

/** `key=value` pairs, gathered over repeats of an option. */
export const label = (pair: string, known: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const at = pair.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('give it as key=value');
  return { ...known, [pair.slice(0, at)]: pair.slice(at + 1) };
};
