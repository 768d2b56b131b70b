import { readFile } from 'node:fs/promises';
import { parsePlan, type Json, type Plan } from '@holdfast/programs';
import { RequestRefused } from '@holdfast/sdk';
import { UnusableYaml, yamlSource, type Source } from '@holdfast/yaml';
import { EXIT, Problem } from '../problem.js';

export type { Source } from '@holdfast/yaml';

/** A program in JSON or YAML; `-` is standard input. */
export const programSource = async (path: string, what: string): Promise<Source> => {
  const text = await textOf(path, what);
  if (isYaml(path) || (path === '-' && !/^\s*[[{]/.test(text))) return yamlIn(text, nameOf(path), what);
  const value = parseJson(text, path, what);
  // JSON is YAML as well: where something is wrong with it is found the same way, once it is asked for.
  let read: Source | null = null;
  return { value, place: (at) => (read ??= yamlIn(text, nameOf(path), what)).place(at) };
};

export const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path);
const nameOf = (path: string): string => (path === '-' ? 'standard input' : path);

/** The value in a file of JSON or, by its name, YAML; `-` is standard input with JSON. */
export const valueIn = async (path: string, what: string): Promise<Json> => {
  const text = await textOf(path, what);
  return isYaml(path) ? yamlIn(text, path, what).value : parseJson(text, path, what);
};

const yamlIn = (text: string, from: string, what: string): Source => {
  try {
    return yamlSource(text, from);
  } catch (error) {
    if (!(error instanceof UnusableYaml)) throw error;
    const message = `${what} from ${from} is not YAML that can be used:${error.message}`;
    throw new Problem(EXIT.usage, message, 'Correct it.');
  }
};

export const parseJson = (content: string, from: string, what: string): Json => {
  try {
    return JSON.parse(content) as Json;
  } catch (error) {
    throw new Problem(EXIT.usage, `${what} from ${from} is not JSON: ${(error as Error).message}`, 'Correct the JSON.');
  }
};

const textOf = async (path: string, what: string): Promise<string> => {
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

type Found = { readonly at: string; readonly message: string };

/** The plan, or a `Problem` that names each thing that is wrong with its form, and its place. */
export const planIn = (source: Source, what: string): Plan => {
  const parsed = parsePlan(source.value);
  if ('plan' in parsed) return parsed.plan;
  throw new Problem(
    EXIT.usage,
    `${what} is not one:${listed(source, parsed.problems)}`,
    'Correct it; see docs/plans.md.',
  );
};

/** Problems one below the other, each with its place in the file as far as that is known. */
export const listed = (source: Source, problems: readonly Found[]): string =>
  problems.map(({ at, message }) => `\n  - ${placed(source, at)}${message}`).join('');

const placed = (source: Source, at: string): string => {
  const place = source.place(at);
  return `${place === null ? '' : `${place}: `}${at === '' ? '' : `${at}: `}`;
};

/** What a coordinator refused, with the places of its reasons in the file. */
export const placedRefusal = (error: unknown, source: Source): unknown => {
  if (!(error instanceof RequestRefused) || !Array.isArray(error.reply.details)) return error;
  const details = error.reply.details.map((entry: unknown) => {
    const { at } = (entry ?? {}) as { readonly at?: unknown };
    const place = typeof at === 'string' ? source.place(at) : null;
    return place === null ? entry : { ...(entry as object), at: `${place}: ${String(at)}` };
  });
  return new RequestRefused({ ...error.reply, details: details as typeof error.reply.details });
};
