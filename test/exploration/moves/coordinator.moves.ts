import type { StepOrder } from '@holdfast/contracts';
import type { Arrival, LaneInput, Work } from '../../../apps/coordinator/src/lane/lane.types.js';
import { holdersOf } from '../../../apps/coordinator/src/shell/holders.js';
import type { ClaimContent } from '../../../apps/executor/src/session/session.messages.js';
import { tellLane } from '../world/coordinator.js';
import { told } from '../world/fold.js';
import type { Abort, Coordinator, Input, World } from '../world/parts.js';
import { appended, mayHappen, replaced, upTo, withLate } from '../world/place.js';
import { Moves, type Actor } from './moves.js';

/** What a coordinator may do next, one small step each. */
export const coordinatorMoves = (moves: Moves, world: World, index: number): void => {
  const cell = world.coordinators[index];
  if (cell === undefined || cell.value.stopped !== null) return;
  const actor: CoordinatorActor = { moves, world, index, cell, name: `C${index}` };
  seat(actor);
  readHistory(actor);
  writeHistory(actor);
  if (cell.value.machine.phase !== 'leading') return;
  readInputs(actor);
  publish(actor);
  close(actor);
  readClaims(actor);
  judgeSessions(actor);
  tick(actor);
};

type CoordinatorActor = Actor<Coordinator>;

/** `about` names all that the outcome depends on besides the process, what it has read of the claims, and the time. */
type Telling = {
  readonly about: string;
  readonly input: () => LaneInput | null;
  readonly change?: Partial<Coordinator>;
};

const tell = (
  { moves, world, cell, index }: CoordinatorActor,
  { about, input, change = {} }: Telling,
  more: Partial<World> = {},
): World => {
  const now = world.now.value;
  const claims = upTo(moves.kit, world.claims, change.claimsNext ?? cell.value.claimsNext);
  const next = moves.kit.cells.once(`lane ${cell.id} ${now} ${claims.id} ${about}`, () =>
    tellLane(moves.kit, cell, input(), { now, claims, change }),
  );
  return { ...world, ...more, coordinators: replaced(world.coordinators, index, next) };
};

/** The shell does something that its machine does not hear of. */
const changed = (
  { moves, world, cell, index }: CoordinatorActor,
  about: string,
  change: Partial<Coordinator>,
  more: Partial<World>,
): World => {
  const next = moves.kit.cells.once(`lane ${cell.id} ${about}`, () => moves.kit.cells.of({ ...cell.value, ...change }));
  return { ...world, ...more, coordinators: replaced(world.coordinators, index, next) };
};

const said = (input: LaneInput, change: Partial<Coordinator> = {}): Telling => ({
  about: JSON.stringify(input),
  input: () => input,
  change,
});

const seat = (actor: CoordinatorActor): void => {
  const { moves, world, index, cell, name } = actor;
  const { machine, sent } = cell.value;
  const seated = machine.phase !== 'unseated';
  const granted = world.order.value.lane === index;
  if (granted && !seated)
    moves.step(`${name} gets the seat of the lane`, () => tell(actor, said({ type: 'SeatGranted' })));
  if (granted || !seated) return;
  moves.step(`${name} learns that it lost the seat`, () => {
    // What was sent may still land.
    const unheard = sent !== null && sent.landed === null ? [{ kind: 'history', values: sent.values } as const] : [];
    return tell(actor, said({ type: 'SeatLost' }, { sent: null }), { late: withLate(moves.kit, world, ...unheard) });
  });
};

const readHistory = (actor: CoordinatorActor): void => {
  const { moves, world, cell, name } = actor;
  const { machine } = cell.value;
  if (!machine.reading) return;
  const readTo = (end: number) => () => {
    const input = (): LaneInput => {
      const records = world.history.value
        .slice(machine.next, end)
        .map(({ value }, at) => ({ offset: machine.next + at, value }));
      return { type: 'HistoryRead', records, next: Math.max(end, machine.next), end };
    };
    return tell(actor, { about: `history ${world.history.id} ${end}`, input });
  };
  const { length } = world.history.value;
  moves.step(`${name} reads history up to ${length}`, readTo(length));
  if (!mayHappen(world, 'staleRead')) return;
  for (let end = machine.next; end < length; end += 1) {
    moves.fault('staleRead', world, `${name} reads history, but is shown only what is before ${end}`, readTo(end));
  }
};

const writeHistory = (actor: CoordinatorActor): void => {
  const { moves, world, index, cell, name } = actor;
  const { kit } = moves;
  const { sent, machine } = cell.value;
  if (sent === null) return;
  const unknown = { type: 'HistoryAppended', answer: { outcome: 'unknown' } } as const;
  const answered = (offset: number) => ({ type: 'HistoryAppended', answer: { outcome: 'appended', offset } }) as const;
  if (sent.landed !== null) {
    const { landed } = sent;
    moves.step(`${name} is answered: landed at ${landed}`, () => tell(actor, said(answered(landed), { sent: null })));
    moves.fault('lostHistory', world, `the answer to ${name} is lost`, () =>
      tell(actor, said(unknown, { sent: null })),
    );
    return;
  }
  const { epochsMax = Infinity } = kit.configuration;
  // Two that both believe in the seat could take the lane from each other for ever.
  const waits = machine.flight?.kind === 'acquire' && machine.flight.epoch > epochsMax;
  if (waits && world.order.value.lane !== index) return;
  const what = () => told(kit, sent.values);
  const offset = world.history.value.length;
  const history = () => appended(kit, world.history, ...sent.values);
  if (kit.configuration.coordinators === 1) {
    moves.step(
      () => `${name} appends at ${offset}: ${what()}`,
      () => tell(actor, said(answered(offset), { sent: null }), { history: history() }),
    );
    moves.fault(
      'lostHistory',
      world,
      () => `${name} appends at ${offset}, the answer is lost: ${what()}`,
      () => tell(actor, said(unknown, { sent: null }), { history: history() }),
    );
  } else {
    moves.step(
      () => `an append of ${name} lands at ${offset}: ${what()}`,
      () => changed(actor, `landed ${offset}`, { sent: { ...sent, landed: offset } }, { history: history() }),
    );
  }
  moves.fault(
    'lostHistory',
    world,
    () => `an append of ${name} is not answered and is still on its way: ${what()}`,
    () =>
      tell(actor, said(unknown, { sent: null }), {
        late: withLate(kit, world, { kind: 'history', values: sent.values }),
      }),
  );
};

const inputs = ['requests', 'journal', 'verdicts'] as const;

const readInputs = (actor: CoordinatorActor): void => {
  const { moves, world, cell, name } = actor;
  const { follows, next, machine } = cell.value;
  if (!follows) return;
  for (const topic of inputs) {
    const { length } = world[topic].value;
    const from = next[topic];
    if (from >= length) continue;
    moves.step(`${name} reads ${topic} up to ${length}`, () =>
      tell(actor, {
        about: `${topic} ${world[topic].id}`,
        input: () => ({ type: 'Arrived', term: machine.term, arrivals: arrivalsOf(world, topic, from) }),
        change: { next: { ...next, [topic]: length } },
      }),
    );
  }
};

const arrivalsOf = (world: World, topic: Input, from: number): Arrival[] =>
  world[topic].value
    .slice(from)
    .map(({ value }, at) => ({ topic, next: from + at + 1, bytes: 1, work: workOf(topic, value) }));

const workOf = (topic: Input, value: unknown): Work => {
  if (topic === 'journal') return { kind: 'journal', word: value as Extract<Work, { kind: 'journal' }>['word'] };
  if (topic === 'verdicts') return { kind: 'verdict', verdict: value as Extract<Work, { kind: 'verdict' }>['verdict'] };
  return value as Work;
};

const publish = (actor: CoordinatorActor): void => {
  const { moves, world, cell, name } = actor;
  const { kit } = moves;
  const [first, ...rest] = cell.value.outbox;
  if (first === undefined) return;
  const orders: StepOrder[] = [];
  const aborts: Abort[] = [];
  for (const reaction of first.reactions) {
    if (reaction.kind === 'command') orders.push(reaction.order);
    if (reaction.kind === 'abort') aborts.push({ runId: reaction.runId, mode: reaction.mode });
  }
  const what = [
    ...orders.map(({ attemptId }) => `command ${attemptId}`),
    ...aborts.map(({ mode }) => `${mode} the run`),
  ];
  moves.step(`${name} publishes: ${what.join(', ') || 'a reply'}`, () =>
    tell(actor, said({ type: 'Reacted', through: first.through }, { outbox: rest }), {
      commands: appended(kit, world.commands, ...orders.map((order) => kit.cells.of(order))),
      aborts: appended(kit, world.aborts, ...aborts.map((abort) => kit.cells.of(abort))),
    }),
  );
};

const close = (actor: CoordinatorActor): void => {
  const { moves, world, cell, name } = actor;
  const { kit } = moves;
  const { closes } = cell.value;
  if (closes.length === 0) return;
  const { owner } = cell.value.machine.setting;
  const claims = closes.map(({ attemptId, startBy }): ClaimContent => ({
    type: 'AttemptClosed',
    data: { attemptId, closedBy: owner, startBy },
  }));
  const what = closes.map(({ attemptId }) => attemptId).join(', ');
  const landed = () => ({ claims: appended(kit, world.claims, ...claims.map((claim) => kit.cells.of(claim))) });
  const at = world.claims.value.length;
  moves.step(`${name} closes ${what}: a claim at ${at}`, () => changed(actor, 'closed', { closes: [] }, landed()));
  moves.fault('lostClose', world, `${name} closes ${what} at ${at}, the answer is lost`, () => ({
    ...world,
    ...landed(),
  }));
  moves.fault('lostClose', world, `${name} closes ${what}: not answered, still on its way`, () => ({
    ...world,
    late: withLate(kit, world, { kind: 'claims', claims }),
  }));
};

const readClaims = (actor: CoordinatorActor): void => {
  const { moves, world, cell, name } = actor;
  const { length } = world.claims.value;
  if (cell.value.claimsNext >= length || cell.value.watched.length === 0) return;
  moves.step(`${name} reads claims up to ${length}`, () =>
    tell(actor, { about: 'claims', input: () => null, change: { claimsNext: length } }),
  );
};

/** Who is gone is judged once claims and journal are read to the end; who is back is believed again. */
const judgeSessions = (actor: CoordinatorActor): void => {
  const { moves, world, cell, name } = actor;
  const { machine, claimsNext, follows, next } = cell.value;
  const { gone } = world.order.value;
  for (const session of machine.lost.keys()) {
    if (gone[session] !== undefined) continue;
    moves.step(`${name} hears session ${session} again`, () => tell(actor, said({ type: 'SessionBack', session })));
  }
  const all = follows && claimsNext === world.claims.value.length && next.journal === world.journal.value.length;
  if (!all) return;
  const holders = holdersOf(machine);
  for (const [session, { cause, endedAt }] of Object.entries(gone)) {
    if (machine.lost.has(session) || !holders.has(session)) continue;
    moves.step(`${name} judges that session ${session} is gone`, () =>
      tell(actor, said({ type: 'SessionLost', session, loss: { cause, endedAt, clean: false } })),
    );
  }
};

const tick = (actor: CoordinatorActor): void => {
  const { moves, world, cell, index, name } = actor;
  const due = [...cell.value.machine.live.values()].some(({ due }) => due <= world.now.value);
  if (!due) return;
  const to = tell(actor, said({ type: 'Tick' }));
  if (to.coordinators[index] !== cell) moves.step(`${name} looks at what is due`, () => to);
};
