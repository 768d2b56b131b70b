import { join } from 'node:path';
import { serviceProgram, type Exit } from '@holdfast/dev';
import { between, type Random } from '../seed.js';
import { Freezer } from './freezer.js';
import type { Victim } from './kill-schedule.js';
import { Member } from './member.js';

export type FleetPlan = {
  readonly brokers: readonly string[];
  readonly namespace: string;
  readonly executors: number;
  readonly coordinators: number;
  readonly toolsModule: string;
  readonly documentsRoot: string;
  readonly ledger: string;
  readonly seed: number;
  /** Which model summarises; null: none. */
  readonly model: string | null;
  /** Where the services' logs go. */
  readonly folder: string;
};

/** What was hit, and the promise that it works again. */
export type Hit = { readonly service: string; readonly pids: readonly number[]; readonly again: Promise<void> };

/** All services of one mission: the office, coordinators, executors, a reconciler. */
export type Fleet = {
  readonly officeUrl: string;
  readonly names: readonly string[];
  /** Kills one of a kind; null when none of them runs at the moment. */
  kill(victim: Victim, random: Random): Hit | null;
  /** What freezes all executors, each with its worker, and wakes them; made once in a mission. */
  executorFreezer(): Freezer;
  /** Resolves when all executors say that they can work. */
  executorsAnswer(): Promise<void>;
  stop(): Promise<void>;
};

const DRAIN_MS = 3_000;
const STOP_MS = 4_000;

/** Starts everything; resolves when all are ready. `ended` hears of services that end although nobody wanted it. */
export const startFleet = async (plan: FleetPlan, ended: (name: string, exit: Exit) => void): Promise<Fleet> => {
  const office = officeOf(plan, ended);
  const members: Member[] = [office];
  let freezer: Freezer | null = null;
  const stop = async (): Promise<void> => {
    freezer?.wake();
    await Promise.all(members.map((member) => member.stop(STOP_MS)));
  };
  try {
    await office.start();
    const officeUrl = `http://127.0.0.1:${office.httpPort}`;
    const services = servicesOf(plan, officeUrl, ended);
    const all = Object.values(services).flat();
    members.push(...all);
    await Promise.all(all.map((member) => member.start()));
    const { executor } = services;
    return {
      officeUrl,
      names: members.map(({ name }) => name),
      kill: (victim, random) => killOne(services, victim, random),
      executorFreezer: () => (freezer = new Freezer(executor.flatMap((one) => one.groups()))),
      executorsAnswer: async () => void (await Promise.all(executor.map((one) => one.answers()))),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

type Services = Readonly<Record<'coordinator' | 'executor' | 'reconciler', readonly Member[]>>;

const killOne = (services: Services, victim: Victim, random: Random): Hit | null => {
  const kind = victim === 'worker' ? 'executor' : victim;
  const alive = services[kind].filter((one) => one.isUp && (victim !== 'worker' || one.workerPid !== null));
  const member = alive[between(random, 0, alive.length - 1)];
  if (member === undefined) return null;
  if (victim === 'worker') return { service: member.name, pids: member.killWorker(), again: Promise.resolve() };
  const pids = member.killWhole();
  return { service: member.name, pids, again: member.restart() };
};

const officeOf = (plan: FleetPlan, ended: (name: string, exit: Exit) => void): Member =>
  new Member(
    {
      name: 'records-office',
      main: join(import.meta.dirname, '..', 'office', 'main.js'),
      args: ['--ledger', plan.ledger, '--seed', String(plan.seed)],
      env: {},
      logFile: join(plan.folder, 'records-office.log'),
      readyPath: null,
    },
    ended,
  );

const servicesOf = (plan: FleetPlan, officeUrl: string, ended: (name: string, exit: Exit) => void): Services => {
  const member = (kind: keyof Services) => (_: unknown, index: number) => {
    const name = `${kind}-${index + 1}`;
    const main = serviceProgram(kind);
    const env = { ...environment(plan, officeUrl), HOLDFAST_INSTANCE: name };
    const logFile = join(plan.folder, `${name}.log`);
    return new Member({ name, main, env, logFile, readyPath: '/ready' }, ended);
  };
  return {
    coordinator: Array.from({ length: plan.coordinators }, member('coordinator')),
    executor: Array.from({ length: plan.executors }, member('executor')),
    reconciler: Array.from({ length: 1 }, member('reconciler')),
  };
};

const environment = (plan: FleetPlan, officeUrl: string): Readonly<Record<string, string>> => ({
  KAFKA_BROKERS: plan.brokers.join(','),
  HOLDFAST_NAMESPACE: plan.namespace,
  HOLDFAST_TOOLS: plan.toolsModule,
  HOLDFAST_HTTP_PORT: '0',
  HOLDFAST_DRAIN_MS: String(DRAIN_MS),
  OFFICE_URL: officeUrl,
  DOCUMENTS_ROOT: plan.documentsRoot,
  ...(plan.model === null ? {} : { SUMMARY_MODEL: plan.model }),
});
