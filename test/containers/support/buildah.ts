import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, stateDir } from '@holdfast/dev';
import { makeBase } from './base.js';

const folder = join(stateDir, 'containers');
const TAG = 'localhost/holdfast-check';
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** What an engine reads out of an image before it starts something. */
export type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
};

export type Image = {
  readonly config: ImageConfig;
  readonly rootFolder: string;
  readonly bytes: number;
  readonly baseBytes: number;
};

/** Builds images without an engine and without a daemon: in folders, each step in a chroot. */
const buildah = async (...args: readonly string[]): Promise<string> => {
  mkdirSync(folder, { recursive: true });
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const options = { cwd: repositoryRoot, maxBuffer: OUTPUT_BYTES_MAX };
  const { stdout } = await promisify(execFile)('buildah', [...storage, ...args], options);
  return stdout.trim();
};

/**
 * The image of the Dockerfile, and its root file system as a folder. `CONTAINER_BASE` names another base image than the
 * one that is made of this machine, and is fetched then.
 */
export const buildImage = async (): Promise<Image> => {
  const base = process.env['CONTAINER_BASE'] ?? (await ownBase());
  const npmrc = join(homedir(), '.npmrc');
  const secrets = existsSync(npmrc) ? ['--secret', `id=npmrc,src=${npmrc}`] : [];
  // HEALTHCHECK is of Docker's format alone.
  const format = ['--isolation', 'chroot', '--format', 'docker', '--layers=false'];
  await buildah('build', ...format, '--build-arg', `BASE=${base}`, ...secrets, '--tag', TAG, '.');
  const container = await buildah('from', '--pull-never', TAG);
  const rootFolder = await buildah('mount', container);
  return { config: await configOf(TAG), rootFolder, bytes: await bytesOf(TAG), baseBytes: await bytesOf(base) };
};

/** Removes what `buildImage` has made, but not the base. */
export const removeImage = async (): Promise<void> => {
  await buildah('rm', '--all');
  await buildah('rmi', '--force', TAG);
};

const configOf = async (image: string): Promise<ImageConfig> => {
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', image)) as {
    readonly Docker: { readonly config: ImageConfig };
  };
  return inspected.Docker.config;
};

const bytesOf = async (image: string): Promise<number> => {
  const images = JSON.parse(await buildah('images', '--json')) as readonly {
    readonly names: readonly string[] | null;
    readonly size: string;
  }[];
  const size = images.find(({ names }) => names?.some((name) => name.split(':')[0] === image || name === image))?.size;
  const [, number, unit = ''] = /^([\d.]+) (\w+)$/.exec(size ?? '') ?? [];
  return Math.round(Number(number) * ({ KB: 1e3, MB: 1e6, GB: 1e9 }[unit] ?? 1));
};

/** Made once for each version of Node.js. */
const ownBase = async (): Promise<string> => {
  const tag = `localhost/holdfast-base-${process.versions.node}`;
  const known = await buildah('images', '--quiet', tag).catch(() => '');
  if (known !== '') return tag;
  const context = await makeBase(folder);
  await buildah('build', '--isolation', 'chroot', '--format', 'docker', '--tag', tag, context);
  return tag;
};
