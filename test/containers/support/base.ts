import { execFile } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const RELEASE = 'bookworm';
const USER = 1000;
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';

/**
 * The folder of a build whose image stands in for `node:20-bookworm-slim` where none can be fetched: the same release of
 * Debian, with this machine's Node.js, npm and certificates.
 */
export const makeBase = async (folder: string): Promise<string> => {
  const root = join(folder, 'rootfs');
  const context = join(folder, 'base');
  for (const old of [root, context]) rmSync(old, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', RELEASE, root], { maxBuffer: 2 ** 24 });
  for (const left of [
    'var/cache/apt',
    'var/lib/apt/lists',
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'var/log',
  ])
    rmSync(join(root, left), { recursive: true, force: true });
  for (const needed of ['var/cache/apt/archives/partial', 'var/lib/apt/lists/partial', 'var/log'])
    mkdirSync(join(root, needed), { recursive: true });
  copyNode(root);
  appendFileSync(join(root, 'etc/passwd'), `node:x:${USER}:${USER}::/home/node:/bin/sh\n`);
  appendFileSync(join(root, 'etc/group'), `node:x:${USER}:\n`);
  if (existsSync(`/${CERTIFICATES}`)) copyFileSync(`/${CERTIFICATES}`, join(root, CERTIFICATES));
  await run('tar', ['-C', root, '-cf', join(context, 'root.tar'), '.']);
  rmSync(root, { recursive: true });
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM scratch\nADD root.tar /\nENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_EXTRA_CA_CERTS=/${CERTIFICATES}\n`,
  );
  return context;
};

const copyNode = (root: string): void => {
  const local = join(root, 'usr/local');
  const modules = join(local, 'lib/node_modules');
  mkdirSync(modules, { recursive: true });
  copyFileSync(process.execPath, join(local, 'bin/node'));
  const npm = dirname(dirname(realpathSync(join(dirname(process.execPath), 'npm'))));
  cpSync(npm, join(modules, 'npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
};
