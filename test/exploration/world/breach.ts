import { isDeepStrictEqual } from 'node:util';
import { invariants, type Evidence } from '../../support/invariants/index.js';
import type { Cell } from '../engine/cell.js';
import type { Breach } from '../engine/system.js';
import { folded } from './fold.js';
import type { Kit } from './kit.js';
import type { Coordinator, Log, World } from './parts.js';
import { upTo } from './place.js';

export const foldIsLive = 'fold(history) = live state';
export const nobodyStops = 'no lane and no partition stops for a person';
export const invariantNames: readonly string[] = [...invariants.map(({ name }) => name), foldIsLive, nobodyStops];

/** What is wrong with the world. Each invariant is asked again only when something that it is about has changed. */
export const breachOf = (kit: Kit, world: World): Breach | null => {
  const { history, claims, commands, journal, ledger } = world;
  const parts = `log ${history.id} ${claims.id} ${commands.id} ${journal.id} ${ledger.id}`;
  const breach = kit.cells.once(parts, () => logBreach(kit, world));
  if (breach !== null) return breach;
  for (const coordinator of world.coordinators) {
    const breach = kit.cells.once(`live ${coordinator.id} ${history.id}`, () => liveBreach(kit, world, coordinator));
    if (breach !== null) return breach;
  }
  for (const [index, { value }] of world.executors.entries())
    if (value.defect !== null) return { invariant: nobodyStops, detail: `E${index}: ${value.defect}` };
  return null;
};

const logBreach = (kit: Kit, world: World): Breach | null => {
  for (const [index, { name, about, breach }] of invariants.entries()) {
    const parts = about.map((part) => world[part].id).join();
    const detail = kit.cells.once(`invariant ${index} ${parts}`, () => breach(evidenceOf(kit, world)));
    if (detail !== null) return { invariant: name, detail };
  }
  return null;
};

const evidenceOf = (kit: Kit, world: World): Evidence => {
  const { records, lane, defect } = folded(kit, world.history);
  const values = <T>({ value }: Cell<Log<T>>): readonly T[] => value.map((one) => one.value);
  return {
    history: records,
    lane,
    defect,
    claims: values(world.claims),
    commands: values(world.commands),
    journal: values(world.journal),
    ledger: world.ledger.value,
  };
};

/** Whoever knows the history up to somewhere has the state that anybody has who folds it up to there. */
const liveBreach = (kit: Kit, { history }: World, { value }: Cell<Coordinator>): Breach | null => {
  const { machine, stopped } = value;
  const { owner } = machine.setting;
  if (stopped !== null) return { invariant: nobodyStops, detail: `the lane of ${owner} has stopped: ${stopped}` };
  for (const [runId, reason] of machine.broken)
    return { invariant: nobodyStops, detail: `${owner} cannot decide about ${runId}: ${reason}` };
  const { lane } = folded(kit, upTo(kit, history, machine.next));
  if (isDeepStrictEqual({ ...machine.lane, counts: null }, { ...lane, counts: null })) return null;
  return { invariant: foldIsLive, detail: `${owner} has another state than the history up to ${machine.next}` };
};
