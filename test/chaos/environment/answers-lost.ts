import { randomOf } from '@holdfast/chaos';
import { eventually } from '@holdfast/dev';
import type { BrokerRequest, Fate } from './kafka-proxy.js';
import { Load } from './load.js';
import type { OneBroker } from './one-broker.js';
import type { Scenario } from './scenario.js';

const WAIT_MS = 90_000;
const FATES: readonly Fate[] = ['cut', 'tear-answer', 'tear-request', 'lose', 'cut', 'late'];

/** Whose appends to what are meant, and which part of them: verdicts are rare. */
const VICTIMS = [
  { service: 'coordinator', topic: 'run-events', share: 0.1 },
  { service: 'coordinator', topic: 'step-commands.default', share: 0.1 },
  { service: 'executor-worker', topic: 'step-claims.default', share: 0.1 },
  { service: 'executor-worker', topic: 'step-journal', share: 0.1 },
  { service: 'executor', topic: 'heartbeats', share: 0.1 },
  { service: 'reconciler', topic: 'effect-verdicts', share: 0.5 },
] as const;
type Victim = (typeof VICTIMS)[number];

/** Appends reach the broker, or do so late, or not at all, and whoever asked is not answered. Each kind of it for each writer. */
export const answersLost: Scenario<OneBroker> = (stage, seed) =>
  Load.during(stage, async (load) => {
    const { proxy } = stage;
    const random = randomOf(seed);
    const done = new Map<Victim, number>(VICTIMS.map((victim) => [victim, 0]));
    proxy.fateOf = (request) => {
      const victim = VICTIMS.find((one) => isMeant(one, request));
      if (victim === undefined || random() >= victim.share) return 'pass';
      const times = done.get(victim) ?? 0;
      done.set(victim, times + 1);
      return FATES[times] ?? 'pass';
    };
    const isOver = (victim: Victim): boolean => (done.get(victim) ?? 0) >= FATES.length;
    const left = (): string =>
      VICTIMS.filter((one) => !isOver(one))
        .map(nameOf)
        .join(', ');
    await eventually('all of these appends went wrong', () => left() === '', WAIT_MS).catch((cause: unknown) => {
      throw new Error(`not enough appends went wrong: ${left()}`, { cause });
    });
    proxy.fateOf = () => 'pass';
    await load.recovered();
    return VICTIMS.map((victim) => `${nameOf(victim)}: ${FATES.join(', ')}`);
  });

const nameOf = ({ service, topic }: Victim): string => `${service} to ${topic}`;

/** Services call themselves `namespace.service.instance`. */
const isMeant = ({ service, topic }: Victim, request: BrokerRequest): boolean => {
  const [namespace, name] = request.clientId.split('.');
  return request.isAppend && name === service && request.topic === `${namespace}.${topic}`;
};
