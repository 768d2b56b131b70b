import { routes } from '@holdfast/api';
import { DEFAULTS } from '@holdfast/events';
import { readCatalogue } from '@holdfast/service';
import { count } from '@holdfast/words';
import { placeIn } from '../action.js';
import type { Connection } from '../cluster.js';
import { asProblem } from '../problem.js';
import type { Session } from '../session.js';
import { fleetInLog } from '../views/fleet-in-log.js';
import { askGateway } from '../views/gateway.js';
import type { InLog } from '../views/in-log.js';
import { lanesInLog } from '../views/lanes-in-log.js';
import { SILENCE_MS } from '../views/log-views.js';
import { fail, ok, warn, type Check } from './check.js';
import { environmentChecks, nodeCheck } from './environment.checks.js';
import { laneChecks, memberChecks, memberClockChecks, ownClockCheck, toolChecks } from './fleet.checks.js';
import { topicChecks } from './topics.checks.js';

/** Looks at one thing after the other, and tells each as soon as it is known. What needs what failed is left out. */
export const examine = async function* (session: Session, version: string): AsyncGenerator<Check> {
  yield nodeCheck(process.version);
  yield* environmentChecks(session.env, session.brokers);
  if (session.gateway !== null) yield await gatewayCheck(session, version);
  const cluster = await session.cluster().catch((error: unknown) => asProblem(error));
  if (cluster instanceof Error) return yield fail('brokers', cluster.message, cluster.advice);
  yield brokersCheck(cluster);
  const lanes = await cluster.client.lanes().catch((error: unknown) => asProblem(error));
  if (lanes instanceof Error) {
    return yield fail(
      'namespace',
      lanes.message,
      'Start a coordinator: it creates the topics. Or name another --namespace.',
    );
  }
  yield ok('namespace', `${session.namespace} has ${count(lanes, 'lane')}`);
  yield* await tried('topics', () => topicChecks(cluster.topics, cluster.names, lanes));
  yield* await tried('fleet', () => fleetChecks(placeIn(cluster, session.namespace)));
};

/** A check that cannot be made is one that failed; the others are made all the same. */
const tried = async (check: string, make: () => Promise<readonly Check[]>): Promise<readonly Check[]> => {
  try {
    return await make();
  } catch (error) {
    const { message, advice } = asProblem(error);
    return [fail(check, message, advice)];
  }
};

const brokersCheck = ({ brokers }: Connection): Check => {
  const said = `${count(brokers, 'broker')} answer${brokers === 1 ? 's' : ''}`;
  return brokers >= 3
    ? ok('brokers', said)
    : warn('brokers', said, 'For work that matters run three or more: one copy of the log is lost with its disk.');
};

const gatewayCheck = async ({ gateway }: Session, version: string): Promise<Check> => {
  if (gateway === null) return ok('gateway', 'none is named');
  try {
    const health = await askGateway(gateway, routes.getHealth);
    if (!health.ready) return fail('gateway', health.reasons.join('; '), 'See its logs.');
    return health.version === version
      ? ok('gateway', `ready, version ${health.version}, namespace ${health.namespace}`)
      : warn('gateway', `its version is ${health.version}, this one is ${version}`, 'Use the same version of both.');
  } catch (error) {
    const { message, advice } = asProblem(error);
    return fail('gateway', message, advice);
  }
};

const fleetChecks = async (place: InLog): Promise<readonly Check[]> => {
  const offMs = await ownClock(place);
  const [fleet, lanes, catalogue] = await Promise.all([
    fleetInLog(place),
    lanesInLog(place),
    readCatalogue(place.log, place.topics),
  ]);
  const now = { now: place.now() - (offMs ?? 0), silenceMs: SILENCE_MS, skewMs: DEFAULTS.skewMs };
  return [
    ownClockCheck(offMs, DEFAULTS.skewMs),
    ...memberClockChecks(fleet, now),
    ...memberChecks(fleet, now),
    ...laneChecks(lanes, now),
    ...toolChecks(catalogue.all(), fleet, now),
  ];
};

const BEAT_WAIT_MS = 3 * DEFAULTS.heartbeatMs;

/** How far this clock is ahead of the broker's, by a heartbeat that comes while it is waited for. */
const ownClock = async ({ log, topics, now }: InLog): Promise<number | null> => {
  const { end } = await log.bounds(topics.heartbeats, 0);
  const fetched = await log.read(topics.heartbeats, 0, end, { waitMs: BEAT_WAIT_MS });
  const last = fetched.outcome === 'fetched' ? fetched.records.at(-1) : undefined;
  return last === undefined ? null : now() - last.at;
};
