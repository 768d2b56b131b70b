import type { Dice } from '../engine/dice.js';
import { FATES, QUIET_FROM_MS, type Fault, type Loss } from './scenario.js';

type Names = readonly [string, ...string[]];
export type Faulty = {
  readonly dice: Dice;
  /** Of the labels of chance; what has another one rolls its own dice. */
  readonly prefix?: string;
  readonly names: Names;
  readonly focus: { readonly faulty?: Names; readonly lossy?: Names };
};

const LONG_MS = 9_000;

/** Any process at any gate, or what the focus says. */
export const faultOf = ({ dice, names, focus, prefix = '' }: Faulty, index: number): Fault => {
  const [wantedProcess, wantedGate, wantedWhat] = wantedOf(
    dice.pick(`${prefix}fault wanted`, focus.faulty ?? ['*/*/*']),
  );
  const process = chosen(wantedProcess, () => dice.pick(`${prefix}fault process`, some(names, wantedProcess)));
  const role = roleOf(process);
  const gate = chosen(wantedGate, () => dice.pick(`${prefix}fault gate`, GATES[role] ?? ['timer']));
  const what = chosen(wantedWhat, () => dice.pick(`${prefix}fault what`, whatOf(role, gate))) as Fault['what'];
  const ms =
    what === 'jump'
      ? dice.between(`${prefix}fault jump`, -90, 90)
      : dice.between(`${prefix}fault ms ${index}`, 100, LONG_MS);
  // Most gates are passed often, and what happens first is not more interesting than what happens later.
  const nth =
    gate === 'timer' ? dice.between(`${prefix}fault timer`, 1, 150) : dice.between(`${prefix}fault nth`, 1, 14);
  return { process, gate, nth, what, ms };
};

/** Any append of any process, or what the focus says. */
export const lossOf = ({ dice, names, focus }: Faulty, index: number): Loss => {
  const [wantedProcess, wantedTopic, wantedFate] = wantedOf(dice.pick('loss wanted', focus.lossy ?? ['*/*/*']));
  const process = chosen(wantedProcess, () => dice.pick('loss process', some(names, wantedProcess)));
  const topics = LOSSES[roleOf(process)] ?? ['heartbeats'];
  return {
    process,
    topic: chosen(wantedTopic, () => dice.pick('loss topic', topics)),
    nth: dice.between('loss nth', 1, 10),
    fate: chosen(wantedFate, () => dice.pick('loss fate', FATES)) as Loss['fate'],
    ms: dice.between(`loss ms ${index}`, 100, QUIET_FROM_MS / 2),
  };
};

const roleOf = (process: string): string => process.split('-')[0] ?? process;
/** `process/gate/what` or `process/topic/fate`, each a `*` where anything will do. Throws on anything else. */
const wantedOf = (text: string): readonly [process: string, at: string, what: string] => {
  const [process, at, what, ...more] = text.split('/');
  if (process === undefined || at === undefined || what === undefined || more.length > 0)
    throw new Error(`expected three parts with / between, got ${text}`);
  if (process !== '*' && !(roleOf(process) in GATES)) throw new Error(`there is no process ${process}`);
  return [process, at, what];
};

/** `worker` is any worker, `worker-1` that one, `*` any process. */
const chosen = (wanted: string, any: () => string): string =>
  wanted === '*' || (!wanted.includes(' ') && wanted in GATES) ? any() : wanted;
const some = (names: Names, role: string): Names => {
  const found = names.filter((name) => roleOf(name) === role);
  return found[0] === undefined ? names : [found[0], ...found.slice(1)];
};

const whatOf = (role: string, gate: string): readonly [Fault['what'], ...Fault['what'][]] => {
  const machine: Fault['what'][] = role === 'executor' ? ['kill_machine', 'freeze_machine'] : [];
  const seats: Fault['what'][] = role === 'worker' ? [] : ['unseat', 'swap'];
  const lag: Fault['what'][] = gate.startsWith('deliver') || gate.startsWith('read') ? ['lag'] : [];
  return ['kill', 'kill', 'freeze', 'jump', 'away', ...machine, ...seats, ...lag];
};

const READS = ['deliver', 'read'] as const;
const gatesOf = (writes: readonly string[], reads: readonly string[], more: readonly string[]): Names => [
  'timer',
  ...writes.flatMap((topic) => [`send ${topic}`, `answer ${topic}`]),
  ...reads.flatMap((topic) => READS.map((stage) => `${stage} ${topic}`)),
  ...more,
];

const COORDINATOR_WRITES = [
  'run-events',
  'run-events',
  'step-commands',
  'step-claims',
  'run-replies',
  'run-aborts',
  'run-requests',
  'heartbeats',
] as const;

const GATES: Readonly<Record<string, Names>> = {
  coordinator: gatesOf(
    COORDINATOR_WRITES,
    ['run-requests', 'step-journal', 'effect-verdicts', 'step-claims', 'heartbeats', 'run-events', 'tools'],
    ['seats'],
  ),
  executor: gatesOf(['heartbeats'], [], ['send to worker', 'receive from worker', 'seats']),
  worker: gatesOf(
    ['step-claims', 'step-claims', 'step-journal', 'step-journal'],
    ['step-commands', 'step-claims', 'run-aborts'],
    ['send to parent', 'receive from parent', 'tool', 'tool answer'],
  ),
  reconciler: gatesOf(['effect-verdicts'], ['run-events'], ['seats', 'tool']),
  gateway: gatesOf(['rows', 'rows', 'position'], ['run-events'], ['seats']),
};

const LOSSES: Readonly<Record<string, Names>> = {
  coordinator: COORDINATOR_WRITES,
  executor: ['heartbeats'],
  worker: ['step-claims', 'step-claims', 'step-journal', 'step-journal'],
  reconciler: ['effect-verdicts'],
};
