import { T0 } from '../../support/clock.js';
import type { System } from '../engine/system.js';
import { movesOf } from '../moves/world.moves.js';
import { breachOf } from './breach.js';
import { newCoordinator } from './coordinator.js';
import { newExecutor } from './executor.js';
import { folded, liveRunOf, runOf } from './fold.js';
import { Kit, type Configuration, type RulesOff } from './kit.js';
import type { Faults, World } from './parts.js';
import { newReconcilerCell } from './reconciler.js';
import { submitRequest } from './requests.js';

const noFaults: Faults = {
  laneSeat: 0,
  queueSeat: 0,
  coordinatorCrash: 0,
  workerCrash: 0,
  zombie: 0,
  lostHistory: 0,
  lostClaim: 0,
  lostClose: 0,
  staleRead: 0,
  unknownOutcome: 0,
  failedCall: 0,
  silentTool: 0,
  cancel: 0,
  slow: 0,
};

/** The system of a configuration: the machines that ship, and a world in which anything that may happen can happen. */
export const systemOf = (configuration: Configuration, off: RulesOff = {}): System<World> => {
  const kit = new Kit(configuration, off);
  return {
    first: started(kit, firstWorld(kit)),
    key: keyOf,
    at: (key) => worldOf(kit, key),
    moves: (world) => movesOf(kit, world),
    breach: (world) => breachOf(kit, world),
    isEnd: (world) => isEnd(kit, world),
    outcome: (world) => outcomeOf(kit, world),
  };
};

const firstWorld = (kit: Kit): World => {
  const { cells, configuration } = kit;
  const empty = cells.of<readonly never[]>([]);
  const numbers = (count: number) => [...Array(count).keys()];
  return {
    now: cells.of(T0),
    history: empty,
    requests: cells.of([cells.of(submitRequest(configuration.program))]),
    journal: empty,
    verdicts: empty,
    commands: empty,
    claims: empty,
    aborts: empty,
    ledger: empty,
    late: empty,
    order: cells.of({ lane: 0, queue: 0, committed: 0, gone: {} }),
    faults: cells.of({ ...noFaults, ...configuration.faults }),
    coordinators: numbers(configuration.coordinators).map((index) => newCoordinator(kit, index, 0)),
    executors: numbers(configuration.executors).map((index) => newExecutor(kit, index, 0)),
    reconciler: newReconcilerCell(kit),
  };
};

/** Everybody has begun to work before anything happens: C0 leads the lane, E0 has the seat of the queue. */
const started = (kit: Kit, world: World): World => {
  const readsRequest = (label: string) => label.startsWith('C0 reads requests');
  for (let now = world; ;) {
    const moves = movesOf(kit, now).filter(({ kind }) => kind === 'step');
    const next = moves.find(({ label }) => !readsRequest(typeof label === 'string' ? label : label()));
    if (next === undefined) return now;
    now = next.to;
  }
};

const single = [
  'now',
  'history',
  'requests',
  'journal',
  'verdicts',
  'commands',
  'claims',
  'aborts',
  'ledger',
  'late',
  'order',
  'faults',
  'reconciler',
] as const satisfies readonly (keyof World)[];

const letters = (id: number): string => String.fromCharCode(id >>> 15, id & 0x7fff);

/** The numbers of all cells: equal for equal worlds and for no others. */
const keyOf = (world: World): string => {
  let key = '';
  for (const name of single) key += letters(world[name].id);
  for (const { id } of world.coordinators) key += letters(id);
  for (const { id } of world.executors) key += letters(id);
  return key;
};

const worldOf = (kit: Kit, key: string): World => {
  const { coordinators, executors } = kit.configuration;
  const cellAt = (at: number) => kit.cells.at((key.charCodeAt(2 * at) << 15) | key.charCodeAt(2 * at + 1));
  const parts = Object.fromEntries(single.map((name, at) => [name, cellAt(at)]));
  const many = (from: number, count: number) => [...Array(count).keys()].map((at) => cellAt(from + at));
  return {
    ...parts,
    coordinators: many(single.length, coordinators),
    executors: many(single.length + coordinators, executors),
  } as unknown as World;
};

/** The run has ended with nothing left in doubt, or a person is asked, with a deadline. */
const isEnd = (kit: Kit, world: World): boolean => {
  const known = folded(kit, world.history);
  if (runOf(known)?.status === 'ended') return true;
  return Object.keys(liveRunOf(known)?.escalations ?? {}).length > 0;
};

const outcomeOf = (kit: Kit, world: World): string => {
  const known = folded(kit, world.history);
  const run = runOf(known);
  if (run === undefined) return 'no run';
  if (run.status === 'ended') return run.end.reason;
  const [asked] = Object.values(run.escalations);
  const end = run.end === null ? '' : `${run.end.reason}, `;
  return asked === undefined ? `${end}${run.status}` : `${end}a person is asked (${asked.kind})`;
};
