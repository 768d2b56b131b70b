import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Member, serviceEnv, type ServiceKind } from '@holdfast/chaos';
import { serviceProgram } from '@holdfast/dev';
import { commandLine, type Said } from '../../e2e/support/command-line.js';
import { compiledProgram } from '../../e2e/support/compiled.js';
import type { SecuredKafka } from './secured-kafka.js';

type Env = Readonly<Record<string, string>>;

export const LANES = 2;
export const serviceUsers = ['coordinator', 'executor', 'reconciler', 'gateway'] as const;

/** Services of one namespace, each under a principal of its own with the least rights. */
export class SecuredFleet {
  readonly folder: string;
  readonly members = new Map<string, Member>();

  constructor(
    readonly kafka: SecuredKafka,
    readonly namespace: string,
    private readonly env: Env,
    /** Modules and tool files beside the one that leaks. */
    private readonly toolFiles: readonly string[] = [],
  ) {
    this.folder = join(kafka.folder, namespace);
    mkdirSync(this.folder, { recursive: true });
  }

  /** The command line as this user. */
  as(user: string): (...args: readonly string[]) => Promise<Said> {
    return commandLine(this.kafka.brokers, this.namespace, this.kafka.envOf(user));
  }

  /** Makes the topics and grants each role its rights, as an administrator does before anything is started. */
  async prepare(): Promise<void> {
    const made = await this.as('admin')('topics', '--apply', '--lanes', String(LANES), '--queues', 'default:2');
    if (made.exit !== 0) throw new Error(made.err);
    const roles = [...serviceUsers, 'submitter', 'operator'].flatMap((role) => ['--principal', `${role}=User:${role}`]);
    const granted = await this.as('admin')('acls', '--apply', ...roles);
    if (granted.exit !== 0) throw new Error(granted.err);
  }

  member(name: string, more: Env = {}, args: readonly string[] = []): Member {
    const kind = name.slice(0, name.indexOf('-')) as ServiceKind | 'gateway';
    const { brokers } = this.kafka;
    const tools = kind === 'executor' || kind === 'reconciler' ? [compiledProgram('leaky'), ...this.toolFiles] : [];
    const place = { name, brokers, namespace: this.namespace, lanes: LANES, queues: { default: 2 }, tools };
    const times = serviceEnv({ kind: kind === 'gateway' ? 'executor' : kind, ...place });
    const member = new Member({
      name,
      main: serviceProgram(kind),
      args,
      logFile: join(this.folder, `${name}.log`),
      env: { ...times, ...this.kafka.envOf(kind), ...this.env, ...more },
    });
    this.members.set(name, member);
    return member;
  }

  async start(...names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.member(name).start()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.members.values()].map((member) => member.killWhole()));
  }
}
