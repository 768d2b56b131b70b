import { systemClock } from '@holdfast/sdk';
import type { Command } from 'commander';
import type { Connect, Connection } from './cluster.js';
import { Output, type Streams } from './output.js';
import type { ExitCode } from './problem.js';
import type { Session } from './session.js';
import { tokenOf } from './token.js';
import type { Fetch, GatewayPorts } from './views/gateway.js';
import { gatewayViews } from './views/gateway-views.js';
import type { InLog } from './views/in-log.js';
import { logViews } from './views/log-views.js';

export type Surroundings = Streams & {
  readonly connect: Connect;
  /** Aborted by the next Ctrl-C, which otherwise ends the process. */
  readonly interrupted: () => AbortSignal;
  readonly fetch?: Fetch;
};

export type Global = {
  readonly brokers?: string;
  readonly namespace: string;
  readonly gateway?: string;
  readonly tokenFile?: string;
  readonly json: boolean;
  readonly as: string;
};
export type Work<O> = (session: Session, argument: string, options: O) => Promise<ExitCode>;
export type Action = <O>(work: Work<O>) => (argument: string | undefined, options: O) => Promise<void>;

/** What commander calls: one command with its session, which ends with it. */
export const actionWith =
  (around: Surroundings, program: Command, ended: (exit: ExitCode) => void): Action =>
  (work) =>
  async (argument = '', options) => {
    const opened = openSession(around, program.opts<Global>());
    try {
      ended(await work(opened.session, argument, options));
    } finally {
      await opened.close();
    }
  };

const openSession = (around: Surroundings, options: Global) => {
  const { brokers = '', namespace, gateway: url, json, as: principal } = options;
  let connection: Promise<Connection> | null = null;
  const cluster = async (): Promise<Connection> => (connection ??= around.connect({ brokers, namespace }));
  const client = async () => (await cluster()).client;
  const fetch: Fetch = around.fetch ?? ((where, init) => globalThis.fetch(where, init));
  const token = () => tokenOf(options.tokenFile, around.env);
  const gateway: GatewayPorts | null = url === undefined || url === '' ? null : { url, principal, token, fetch };
  const views = async () => {
    if (gateway !== null) return gatewayViews(gateway);
    const open = await cluster();
    return logViews(placeIn(open, namespace), open.client, principal);
  };
  const session: Session = {
    client,
    cluster,
    views,
    gateway,
    brokers,
    namespace,
    principal,
    env: around.env,
    output: new Output(around, json),
    interrupted: around.interrupted,
  };
  return {
    session,
    close: async () => (connection as Promise<Connection> | null)?.then((open) => open.close(), nothing),
  };
};

/** The log of a namespace, for whoever reads it. */
export const placeIn = ({ log, names, client }: Connection, namespace: string): InLog => ({
  log,
  topics: names,
  namespace,
  lanes: () => client.lanes(),
  now: () => systemClock.now(),
});

const nothing = (): void => undefined;
