import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { eventually, spawnService, type Exit, type Service } from '@holdfast/dev';
import type { Image, ImageConfig } from './buildah.js';

export type ContainerPlan = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Folders of the machine that are written to, and where they are seen. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Further places for files that are gone with it, beside `/tmp`. */
  readonly tmpfs?: readonly string[];
};

/**
 * What an engine does at a start, in namespaces of its own: a host name, the image's files, all of them read-only, `/proc`, `/dev` and
 * an empty `/tmp`, then the image's user, without any capability, its entry point as process 1. The network is the
 * machine's.
 */
const START = `
set -eu
root=$1 user=$2 group=$3 folder=$4 mounts=$5
shift 5
hostname "$0"
mount --bind "$root" "$root"
eval "$mounts"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot "$root" /bin/sh -c 'cd "$1"; shift; exec "$@"' start "$folder" \\
  setpriv --reuid="$user" --regid="$group" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
`;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const READY_MS = 120_000;

/** One service out of the image. */
export class Container {
  private service: Service | null = null;

  constructor(
    private readonly image: Image,
    readonly plan: ContainerPlan,
  ) {}

  get running(): boolean {
    return this.service?.running === true;
  }

  get exited(): Promise<Exit> {
    return this.started.exited;
  }

  /** Its process 1 as the machine sees it: the init of the image. */
  get pid(): number {
    const pid = childrenOf(this.started.pid).find(isFirstInside);
    if (pid === undefined) throw new Error(`${this.plan.name} has no process yet; its log: ${this.plan.logFile}`);
    return pid;
  }

  async start(): Promise<void> {
    const { name, command, logFile, volumes = {}, tmpfs = [] } = this.plan;
    const { config, rootFolder } = this.image;
    const [user = '', group = user] = config.User.split(':');
    const mounts = [
      ...['/tmp', ...tmpfs].map((place) => `mount -t tmpfs -o mode=1777 tmpfs "$root${place}"`),
      ...Object.entries(volumes).map(([folder, place]) => `mount --bind "${folder}" "$root${place}"`),
    ].join('\n');
    const inside = [rootFolder, user, group, config.WorkingDir, mounts, ...config.Entrypoint, ...command];
    this.service = await spawnService({
      name,
      command: 'env',
      args: [
        '-i',
        ...this.environment(),
        'unshare',
        '--mount',
        '--uts',
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        START,
        name,
        ...inside,
      ],
      logFile,
    });
  }

  /** The verdict of the image's own health check, and what it says. */
  async health(): Promise<{ readonly healthy: boolean; readonly said: string }> {
    const [kind, ...test] = this.image.config.Healthcheck.Test;
    if (kind !== 'CMD') throw new Error(`a health check of the kind ${kind} is not known here`);
    return this.exec(...test).then(
      (said) => ({ healthy: true, said }),
      (error: Error & { readonly stdout?: string }) => ({ healthy: false, said: error.stdout ?? error.message }),
    );
  }

  async healthy(): Promise<void> {
    await eventually(
      `${this.plan.name} is healthy; its log: ${this.plan.logFile}`,
      async () => {
        if (!this.running) throw new Error(`${this.plan.name} has ended; its log: ${this.plan.logFile}`);
        return (await this.health()).healthy;
      },
      READY_MS,
      500,
    );
  }

  /** Runs a command in it, as its user; answers what it prints. */
  async exec(...command: readonly string[]): Promise<string> {
    const [user = '', group = user] = this.image.config.User.split(':');
    const target = [
      '--target',
      String(this.pid),
      '--mount',
      '--pid',
      `--root=/proc/${this.pid}/root`,
      `--wd=/proc/${this.pid}/cwd`,
    ];
    const as = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--'];
    const args = ['-i', ...this.environment(), 'nsenter', ...target, '--', ...as, ...command];
    return (await promisify(execFile)('env', args)).stdout.trim();
  }

  /** Asks it to end as an engine does: a signal to process 1, and nobody else. */
  async stop(): Promise<Exit> {
    process.kill(this.pid, 'SIGTERM');
    return this.exited;
  }

  /** Ends it, whatever it does, with all that is in it. */
  async kill(): Promise<void> {
    if (!this.running) return;
    for (const pid of childrenOf(this.started.pid).filter(isFirstInside)) process.kill(pid, 'SIGKILL');
    this.started.kill('SIGKILL');
    await this.exited;
  }

  log(): string {
    return readFileSync(this.plan.logFile, 'utf8');
  }

  private environment(): readonly string[] {
    const given = Object.entries(this.plan.env).map(([name, value]) => `${name}=${value}`);
    return [`PATH=${PATH}`, ...envOf(this.image.config), ...given];
  }

  private get started(): Service {
    if (this.service === null) throw new Error(`${this.plan.name} has not been started`);
    return this.service;
  }
}

const envOf = ({ Env }: ImageConfig): readonly string[] => Env.filter((one) => !one.startsWith('PATH='));

/** Whether a process is the first one of a pid namespace. */
const isFirstInside = (pid: number): boolean => {
  try {
    return /^NSpid:\t\d+\t1$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** The one process whose parent this is. */
export const onlyChildOf = (parent: number): number => {
  const [child, ...others] = childrenOf(parent);
  if (child === undefined || others.length > 0)
    throw new Error(`${parent} has ${others.length + (child ? 1 : 0)} children`);
  return child;
};

/** The processes whose parent this is. */
export const childrenOf = (parent: number): readonly number[] =>
  statsOf().flatMap(({ pid, ppid }) => (ppid === parent ? [pid] : []));

/** The ended processes that this one should have collected. */
export const zombiesOf = (parent: number): readonly number[] =>
  statsOf().flatMap(({ pid, ppid, state }) => (ppid === parent && state === 'Z' ? [pid] : []));

const statsOf = () =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const [state = '', ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return [{ pid: Number(entry), state, ppid: Number(ppid) }];
      } catch {
        return [];
      }
    });
