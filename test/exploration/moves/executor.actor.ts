import type { News } from '../../../apps/executor/src/session/session.messages.js';
import { tellSession } from '../world/executor.js';
import type { Executor, World } from '../world/parts.js';
import { replaced } from '../world/place.js';
import type { Actor } from './moves.js';

export type ExecutorActor = Actor<Executor>;

/** `about` names all that the outcome depends on besides the process and the time. */
export type Telling = {
  readonly about: string;
  readonly news: () => News;
  readonly change?: Partial<Executor>;
};

export const tell = (
  { moves, world, cell, index }: ExecutorActor,
  { about, news, change = {} }: Telling,
  more: Partial<World> = {},
): World => {
  const now = world.now.value;
  const next = moves.kit.cells.once(`session ${cell.id} ${now} ${about}`, () =>
    tellSession(moves.kit, cell, news(), { now, change }),
  );
  const to = { ...world, ...more, executors: replaced(world.executors, index, next) };
  if (next.value.reported === cell.value.reported) return to;
  return { ...to, order: moves.kit.cells.of({ ...to.order.value, committed: next.value.reported }) };
};

export const said = (news: News, change: Partial<Executor> = {}): Telling => ({
  about: JSON.stringify(news),
  news: () => news,
  change,
});

/** The shell does something that its machine does not hear of. */
export const changed = (
  { moves, world, cell, index }: ExecutorActor,
  about: string,
  change: Partial<Executor>,
  more: Partial<World>,
): World => {
  const next = moves.kit.cells.once(`session ${cell.id} ${about}`, () =>
    moves.kit.cells.of({ ...cell.value, ...change }),
  );
  return { ...world, ...more, executors: replaced(world.executors, index, next) };
};
