import type { ClaimContent, News } from '../../../apps/executor/src/session/session.messages.js';
import { HERE, homeOf } from '../world/executor.js';
import type { Executor, World } from '../world/parts.js';
import { appended, withLate } from '../world/place.js';
import { callMoves } from './call.moves.js';
import { changed, said, tell, type ExecutorActor, type Telling } from './executor.actor.js';
import type { Moves } from './moves.js';

/** What a worker may do next, one small step each. */
export const executorMoves = (moves: Moves, world: World, index: number): void => {
  const cell = world.executors[index];
  if (cell === undefined) return;
  const actor: ExecutorActor = { moves, world, index, cell, name: `E${index}` };
  seat(actor);
  readCommands(actor);
  readClaims(actor);
  writeClaims(actor);
  writeJournal(actor);
  readAborts(actor);
  callMoves(actor);
  tick(actor);
};

const seat = (actor: ExecutorActor): void => {
  const { moves, world, index, cell, name } = actor;
  const { queue, committed } = world.order.value;
  const seated = homeOf(cell.value)?.seated ?? false;
  if (queue === index && !seated) {
    moves.step(`${name} gets the seat of the queue, from command ${committed} on`, () =>
      tell(actor, said({ type: 'seat-gained', ...HERE, from: committed }, { reported: committed })),
    );
  }
  if (queue !== index && seated)
    moves.step(`${name} learns that it lost the seat of the queue`, () =>
      tell(actor, said({ type: 'seat-lost', ...HERE })),
    );
};

const readCommands = (actor: ExecutorActor): void => {
  const { moves, world, cell, name } = actor;
  const home = homeOf(cell.value);
  const { length } = world.commands.value;
  if (home === undefined || !home.seated || home.defect !== null || home.commands.next >= length) return;
  const from = home.commands.next;
  const news = (): News => {
    const commands = world.commands.value
      .slice(from)
      .map(({ value: order }, at) => ({ offset: from + at, orders: [{ order, lane: 0, refusal: null }] }));
    return { type: 'commands-read', ...HERE, commands, next: length };
  };
  moves.step(`${name} reads commands up to ${length}`, () =>
    tell(actor, { about: `commands ${world.commands.id}`, news }),
  );
};

const readClaims = (actor: ExecutorActor): void => {
  const { moves, world, cell, name } = actor;
  const home = homeOf(cell.value);
  if (home === undefined || home.range === null) return;
  const { length } = world.claims.value;
  const { next } = home.range;
  if (home.followsClaims && next < length && awaitsClaims(cell.value))
    moves.step(`${name} reads claims up to ${length}`, () =>
      tell(actor, {
        about: `claims ${world.claims.id}`,
        news: () => ({ type: 'claims-read', ...range(world, next, length) }),
      }),
    );
  const { asked } = cell.value;
  if (asked === null) return;
  moves.step(`${name} reads the claims from ${asked.from} to ${asked.to}`, () =>
    tell(actor, {
      about: `earlier claims ${world.claims.id}`,
      news: () => ({ type: 'earlier-claims-read', ...range(world, asked.from, asked.to) }),
      change: { asked: null },
    }),
  );
};

/** What nobody waits for is read together with what comes later. */
const awaitsClaims = ({ state }: Executor): boolean =>
  [...state.attempts.values()].some(({ phase }) => phase === 'waiting' || phase === 'claiming');

const range = (world: World, from: number, next: number) => ({
  ...HERE,
  from,
  claims: world.claims.value.slice(from, next).map(({ value: claim }, at) => ({ offset: from + at, claim })),
  next,
});

const writeClaims = (actor: ExecutorActor): void => {
  const { moves, world, cell, name } = actor;
  const { kit } = moves;
  const { sent } = cell.value;
  if (sent === null) return;
  const { append, landed } = sent;
  const answered = (outcome: { outcome: 'appended'; offset: number } | { outcome: 'unknown' }): News => ({
    type: 'claims-answered',
    ...HERE,
    append,
    answer: outcome,
  });
  const unknown = answered({ outcome: 'unknown' });
  if (landed !== null) {
    moves.step(`${name} is answered: its claim is at ${landed}`, () =>
      tell(actor, said(answered({ outcome: 'appended', offset: landed }), { sent: null })),
    );
    moves.fault('lostClaim', world, `the answer to the claim of ${name} is lost`, () =>
      tell(actor, said(unknown, { sent: null })),
    );
    return;
  }
  const claims = sent.claims.map((data): ClaimContent => ({ type: 'AttemptClaimed', data }));
  const what = claimed(claims);
  const at = world.claims.value.length;
  const log = () => ({ claims: appended(kit, world.claims, ...claims.map((claim) => kit.cells.of(claim))) });
  if (kit.joinsClaims)
    moves.step(`the claim of ${name} for ${what} lands at ${at} and is answered`, () =>
      tell(actor, said(answered({ outcome: 'appended', offset: at }), { sent: null }), log()),
    );
  else
    moves.step(`the claim of ${name} for ${what} lands at ${at}`, () =>
      changed(actor, `landed ${at}`, { sent: { ...sent, landed: at } }, log()),
    );
  moves.fault('lostClaim', world, `the claim of ${name} for ${what} is not answered and is still on its way`, () =>
    tell(actor, said(unknown, { sent: null }), { late: withLate(kit, world, { kind: 'claims', claims }) }),
  );
};

const claimed = (claims: readonly ClaimContent[]): string =>
  claims.map(({ data }) => ('attemptId' in data ? data.attemptId : 'nothing')).join(', ');

const writeJournal = (actor: ExecutorActor): void => {
  const { moves, world, cell, name } = actor;
  const [word, ...rest] = cell.value.words;
  if (word === undefined) return;
  const { attemptId } = word.data;
  moves.step(`${name} writes to the journal: ${word.type} ${attemptId}`, () =>
    tell(actor, said({ type: 'journal-acknowledged', attemptIds: [attemptId] }, { words: rest }), {
      journal: appended(moves.kit, world.journal, moves.kit.cells.of(word)),
    }),
  );
};

const readAborts = (actor: ExecutorActor): void => {
  const { moves, world, cell, name } = actor;
  const { abortsNext } = cell.value;
  const abort = world.aborts.value[abortsNext];
  if (abort === undefined) return;
  moves.step(`${name} reads that the run is to be stopped`, () =>
    tell(actor, said({ type: 'abort-read', ...abort.value }, { abortsNext: abortsNext + 1 })),
  );
};

const tick = (actor: ExecutorActor): void => {
  const { moves, cell, index, name } = actor;
  if (cell.value.state.attempts.size === 0) return;
  const to = tell(actor, TICK);
  if (to.executors[index] !== cell) moves.step(`${name} looks at what is due`, () => to);
};

const TICK: Telling = { about: 'tick', news: () => ({ type: 'tick' }) };
