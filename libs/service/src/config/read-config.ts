import { z } from 'zod';
import { fileVariable, withSecrets } from './secret-files.js';
import { isSet, metaOf } from './settings.js';
import { VARIABLES } from './variables.js';

/** The environment cannot be used. The message names every variable that is wrong, what is expected and what was given. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`the configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration out of the environment; an empty variable counts as not set. Throws `ConfigError` with all
 * problems at once (what does not go together only once each value can be read), also for `HOLDFAST_` variables that no
 * service reads: those of others do no harm, so that one environment file can do for all.
 */
export const readConfig = <S extends z.ZodObject>(schema: S, env: Environment): z.output<S> => {
  const variables = new Map(Object.keys(schema.shape).map((key) => [key, variableOf(schema, key)]));
  const secrets = [...variables].flatMap(([key, variable]) => (isSecret(schema, key) ? [variable] : []));
  const { env: full, problems: unreadable } = withSecrets(env, secrets, new Set(variables.values()));
  const given = Object.fromEntries(
    [...variables].flatMap(([key, variable]) => (isSet(full[variable]) ? [[key, full[variable]]] : [])),
  );
  const known = new Set([...variables.values(), ...secrets.map(fileVariable), ...VARIABLES]);
  const parsed = schema.safeParse(given);
  const problems = [
    ...unreadable,
    ...(parsed.success ? timesProblems(parsed.data) : parsed.error.issues.map((issue) => explain(schema, full, issue))),
    ...unknownVariables(env, known),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return parsed.data as z.output<S>;
};

const isSecret = (schema: z.ZodObject, key: string): boolean =>
  metaOf(schema.shape[key] as z.core.$ZodType).secret === true;

/** The variable of a key: `leaseMs` is `HOLDFAST_LEASE_MS`. */
export const variableOf = (schema: z.ZodObject, key: string): string => {
  const meta = schema.shape[key] === undefined ? {} : metaOf(schema.shape[key]);
  return meta.variable ?? `HOLDFAST_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
};

const explain = (schema: z.ZodObject, env: Environment, issue: z.core.$ZodIssue): string => {
  const [key] = issue.path;
  if (typeof key !== 'string') return issue.message;
  const variable = variableOf(schema, key);
  const { expected, secret } = metaOf(schema.shape[key] as z.core.$ZodType);
  const value = env[variable];
  const got = !isSet(value) ? 'it is not set' : secret === true ? 'its value (not shown) is not' : `got "${value}"`;
  return `${variable}: expected ${expected ?? issue.message}; ${got}`;
};

const unknownVariables = (env: Environment, known: ReadonlySet<string>): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('HOLDFAST_') && !known.has(name))
    .sort()
    .map((name) => {
      const near = [...known].find((other) => distance(name, other) <= 2);
      return `${name}: is not known; ${near === undefined ? 'remove it' : `did you mean ${near}?`}`;
    });

const timesProblems = (config: Readonly<Record<string, unknown>>): readonly string[] => {
  const { leaseMs, heartbeatMs } = config;
  if (typeof leaseMs !== 'number' || typeof heartbeatMs !== 'number' || leaseMs >= 3 * heartbeatMs) return [];
  return [
    `HOLDFAST_LEASE_MS: expected at least three times HOLDFAST_HEARTBEAT_MS (${heartbeatMs}); got "${leaseMs}", ` +
      `with which one late heartbeat would look like a death`,
  ];
};

/** Letters to add, remove or change to come from one name to the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[to.length] ?? 0;
};
