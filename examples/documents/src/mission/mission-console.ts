import { join } from 'node:path';
import { eventually, openPostgres, serviceProgram, type Exit } from '@holdfast/dev';
import { Member } from './member.js';

export type ConsolePlan = {
  readonly brokers: readonly string[];
  readonly namespace: string;
  /** Where the gateway's log goes. */
  readonly folder: string;
};

/** The operator's page over the mission, with a gateway and a database of its own. */
export type MissionConsole = {
  readonly url: string;
  /** Resolves with the page of a run, once what has happened in it is shown there to its end. */
  pageOf(runId: string): Promise<string>;
  stop(): Promise<void>;
};

const STOP_MS = 4_000;
const SHOWN_MS_MAX = 60_000;

/** Starts them; resolves when the page answers. `ended` hears of a gateway that ends although nobody wanted it. */
export const openConsole = async (
  { brokers, namespace, folder }: ConsolePlan,
  ended: (name: string, exit: Exit) => void,
): Promise<MissionConsole> => {
  const postgres = await openPostgres();
  const env = {
    KAFKA_BROKERS: brokers.join(','),
    HOLDFAST_NAMESPACE: namespace,
    HOLDFAST_HTTP_PORT: '0',
    DATABASE_URL: postgres.url,
  };
  const logFile = join(folder, 'gateway.log');
  const gateway = new Member(
    { name: 'gateway', main: serviceProgram('gateway'), env, logFile, readyPath: '/ready' },
    ended,
  );
  const stop = async (): Promise<void> => {
    await gateway.stop(STOP_MS);
    await postgres.stop();
  };
  try {
    await gateway.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `http://127.0.0.1:${gateway.httpPort}`;
  return {
    url,
    pageOf: async (runId) => {
      const isShown = () => isOver(`${url}/v1/runs/${encodeURIComponent(runId)}`);
      await eventually(`run ${runId} is shown at ${url}`, isShown, SHOWN_MS_MAX);
      return `${url}/runs/${encodeURIComponent(runId)}`;
    },
    stop,
  };
};

const isOver = async (run: string): Promise<boolean> => {
  const response = await fetch(run);
  if (!response.ok) return false;
  const { endedAt } = (await response.json()) as { readonly endedAt: number | null };
  return endedAt !== null;
};
