import type { CatalogueEntry } from '@holdfast/contracts';
import { count, some, span } from '@holdfast/words';
import { isAlive, type FleetInLog, type Heard } from '../views/fleet-in-log.js';
import type { LaneSeen } from '../views/views.js';
import { fail, ok, warn, type Check } from './check.js';

export type Now = { readonly now: number; readonly silenceMs: number; readonly skewMs: number };

const START = {
  coordinators: 'Start a coordinator: without one nothing is decided.',
  executors: 'Start an executor with the tools: without one no step is made.',
  reconcilers: 'Start a reconciler with the tools: without one doubts wait until a person is asked.',
} as const;

/** Whether of each kind somebody lives. */
export const memberChecks = (fleet: FleetInLog, { now, silenceMs }: Now): readonly Check[] =>
  (['coordinators', 'executors', 'reconcilers'] as const).map((kind) => {
    const all: readonly Heard<unknown>[] = fleet[kind];
    const alive = all.filter((heard) => isAlive(heard, now, silenceMs)).length;
    if (alive > 0) return ok(kind, `${alive} alive`);
    const last = Math.max(...all.map(({ at }) => at));
    const heard = all.length === 0 ? 'none was heard of lately' : `the last was heard of ${span(now - last)} ago`;
    return kind === 'reconcilers' ? warn(kind, heard, START[kind]) : fail(kind, heard, START[kind]);
  });

/** Clocks of members against the broker's, by the heartbeats in which they tell their own time. */
export const memberClockChecks = (fleet: FleetInLog, { now, silenceMs, skewMs }: Now): readonly Check[] => {
  const all = [
    ...fleet.coordinators.map(({ beat, at }) => ({ name: `coordinator ${beat.coordinator}`, own: beat.at, at })),
    ...fleet.executors.map(({ beat, at }) => ({ name: `executor ${beat.executor}`, own: beat.at, at })),
    ...fleet.reconcilers.map(({ beat, at }) => ({ name: `reconciler ${beat.reconciler}`, own: beat.at, at })),
  ].filter((member) => isAlive({ beat: null, at: member.at }, now, silenceMs));
  const off = all.filter(({ own, at }) => Math.abs(own - at) > skewMs);
  if (off.length === 0)
    return all.length === 0 ? [] : [ok('clocks', `${count(all.length, 'clock')} of services agree with the broker's`)];
  return off.map(({ name, own, at }) =>
    fail(
      'clocks',
      `the clock of ${name} is ${own - at} ms away from the broker's`,
      'Set the clocks right (NTP): its deadlines mean nothing.',
    ),
  );
};

/** This machine's clock against the broker's, by a heartbeat that has just come; null where none came. */
export const ownClockCheck = (offMs: number | null, skewMs: number): Check => {
  if (offMs === null) {
    return warn(
      'clock',
      'this clock could not be compared: nobody writes heartbeats',
      'Start the services, then look again.',
    );
  }
  return Math.abs(offMs) > skewMs
    ? fail('clock', `this clock is ${offMs} ms away from the broker's`, 'Set the clocks right (NTP).')
    : ok('clock', `this clock is within ${skewMs} ms of the broker's`);
};

const LAG_MAX = 1_000;

const names = (lanes: readonly LaneSeen[]): string => some(lanes.map(({ lane }) => String(lane)));

/** Whether every lane has a living owner, is sound, and is read. */
export const laneChecks = (lanes: readonly LaneSeen[], { now, silenceMs }: Now): readonly Check[] => {
  const broken = lanes.filter(({ broken: why }) => why !== null);
  const unowned = lanes.filter(
    ({ broken: why, ownerBeatAt }) => why === null && (ownerBeatAt === null || now - ownerBeatAt > silenceMs),
  );
  const late = lanes.filter(({ inputs }) => inputs !== null && Math.max(...Object.values(inputs)) > LAG_MAX);
  return [
    ...broken.map(({ lane, broken: why }) =>
      fail(
        'lanes',
        `lane ${lane} stands still: ${why ?? ''}`,
        'Keep the topic as it is and look at that record; see docs/operations.md.',
      ),
    ),
    ...(unowned.length === 0
      ? []
      : [
          fail(
            'lanes',
            `nobody owns ${unowned.length} of ${lanes.length} lanes (${names(unowned)})`,
            'Start a coordinator, or wait some seconds: seats are shared out anew.',
          ),
        ]),
    ...(late.length === 0
      ? []
      : [
          warn(
            'lanes',
            `inputs of lanes ${names(late)} are not read yet`,
            'See holdfast lanes; start more coordinators if it stays so.',
          ),
        ]),
    ...(broken.length + unowned.length + late.length === 0
      ? [ok('lanes', `${count(lanes.length, 'lane')} owned and read`)]
      : []),
  ];
};

/** Whether every tool that runs may name is served by somebody who lives. */
export const toolChecks = (
  tools: readonly CatalogueEntry[],
  fleet: FleetInLog,
  { now, silenceMs }: Now,
): readonly Check[] => {
  if (tools.length === 0) return [warn('tools', 'no tool was published yet', 'Start an executor with HOLDFAST_TOOLS.')];
  const alive = fleet.executors.filter((heard) => isAlive(heard, now, silenceMs));
  const served = new Set(alive.flatMap(({ beat }) => beat.tools));
  const missing = tools.map(({ name, version }) => `${name}@${version}`).filter((tool) => !served.has(tool));
  return missing.length === 0
    ? [ok('tools', `${count(tools.length, 'tool')} published, all of them served`)]
    : [
        warn(
          'tools',
          `nobody serves ${some(missing)}`,
          'Runs that call them wait: start an executor with these tools.',
        ),
      ];
};
