import { baseConfigSchema, ConfigError, readConfig } from '@holdfast/service';
import { fail, ok, warn, type Check } from './check.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The oldest Node.js that Holdfast runs on. */
const NODE_MIN = [20, 19] as const;

export const nodeCheck = (version: string): Check => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const fits = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  return fits
    ? ok('node', `Node.js ${version}`)
    : fail('node', `Node.js ${version} is too old`, `Install Node.js ${NODE_MIN.join('.')} or newer.`);
};

/** What services would read out of this environment. */
export const environmentChecks = (env: Env, brokers: string): readonly Check[] => {
  const problems = problemsOf({ ...env, KAFKA_BROKERS: brokers });
  const strange = problems.filter((problem) => problem.includes('is not known'));
  const wrong = problems.filter((problem) => !strange.includes(problem));
  return [
    ...wrong.map((problem) => fail('environment', problem, 'Set it right, or remove it: no service starts with it.')),
    ...strange.map((problem) =>
      warn(
        'environment',
        problem.replace('is not known', 'is not read by all services'),
        'Give it only to the service that reads it.',
      ),
    ),
    ...(problems.length === 0 ? [ok('environment', 'services could start with it')] : []),
  ];
};

const problemsOf = (env: Env): readonly string[] => {
  try {
    readConfig(baseConfigSchema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};
