import type { Claim } from '@holdfast/contracts';
import { ClaimsBook } from '../../../apps/coordinator/src/claims/claims-book.js';
import { newLaneMachine, stepLane } from '../../../apps/coordinator/src/lane/lane.machine.js';
import type { LaneInput, LaneMachine, LaneOutput } from '../../../apps/coordinator/src/lane/lane.types.js';
import { holdersOf } from '../../../apps/coordinator/src/shell/holders.js';
import { copied, type Cell } from '../engine/cell.js';
import { sealed } from '../engine/sealed.js';
import type { Kit } from './kit.js';
import type { Coordinator, Log, World } from './parts.js';

type Draft = { -readonly [K in keyof Coordinator]: Coordinator[K] };
type Claims = World['claims'];
/** `claims`: those that the process has read. */
export type Circumstances = { readonly now: number; readonly claims: Claims; readonly change?: Partial<Draft> };

/** A process that has just started: it knows nothing but the log. */
export const newCoordinator = (kit: Kit, index: number, life: number): Cell<Coordinator> => {
  const machine = newLaneMachine({
    lane: 0,
    lanes: 1,
    owner: `C${index}.${life}`,
    settings: kit.settings,
    rules: kit.laneRules,
    digest: kit.digest,
  });
  return kept(kit, {
    life,
    machine,
    sent: null,
    follows: false,
    next: { requests: 0, journal: 0, verdicts: 0 },
    outbox: [],
    closes: [],
    watched: [],
    claimsNext: 0,
    stopped: null,
  });
};

/**
 * The machine is told something, and what it asks of its shell is noted. What follows without any other process being
 * able to tell the difference happens in the same move: known first claims are told, empty reactions acknowledged,
 * losses of sessions that hold nothing forgotten.
 */
export const tellLane = (
  kit: Kit,
  cell: Cell<Coordinator>,
  input: LaneInput | null,
  { now, claims, change = {} }: Circumstances,
): Cell<Coordinator> => {
  const draft: Draft = { ...cell.value, ...change, machine: copied(cell.value.machine) };
  const tell = (news: LaneInput): void => {
    for (const output of stepLane(draft.machine, news, kit.facts(now, draft.claimsNext))) carryOut(draft, kit, output);
  };
  if (input !== null) tell(input);
  for (let news = next(draft, claims); news !== null; news = next(draft, claims)) tell(news);
  return kept(kit, draft);
};

/** What the shell tells its machine at once. */
const next = (draft: Draft, claims: Claims): LaneInput | null => {
  const { machine, outbox } = draft;
  if (machine.phase !== 'leading') return null;
  const [first] = outbox;
  if (first !== undefined && first.reactions.length === 0) {
    draft.outbox = outbox.slice(1);
    return { type: 'Reacted', through: first.through };
  }
  const known = firstClaims(draft, claims);
  if (known.length > 0) return { type: 'ClaimsKnown', claims: known };
  const holders = machine.lost.size > 0 ? holdersOf(machine) : null;
  for (const session of machine.lost.keys()) if (!holders?.has(session)) return { type: 'SessionBack', session };
  return null;
};

/** First claims of watched attempts in what was read, which the machine does not know yet. */
const firstClaims = ({ machine, watched }: Draft, { value: claims }: Claims) => {
  const wanted = watched.filter(({ attemptId }) => !machine.firsts.has(attemptId));
  if (wanted.length === 0 || claims.length === 0) return [];
  const book = new ClaimsBook(0, 0);
  book.append(
    claims.map(({ value }, offset) => ({ offset, claim: value as Claim })),
    claims.length,
  );
  return wanted.flatMap(({ attemptId, claimsFrom }) => {
    const first = book.first(attemptId, claimsFrom);
    return first === null ? [] : [[attemptId, first] as const];
  });
};

const carryOut = (draft: Draft, kit: Kit, output: LaneOutput): void => {
  switch (output.type) {
    case 'ReadHistory':
    // No question's time is ever over here, and histories are too short for snapshots.
    case 'ReadRequests':
    case 'ReadSnapshot':
    case 'TakeSnapshot':
    case 'DropSnapshot':
      return;
    case 'AppendHistory':
      draft.sent = { values: logOf(kit, output.values), landed: null };
      return;
    case 'FollowInputs': {
      const { requests = 0, journal = 0, verdicts = 0 } = output.positions;
      draft.follows = true;
      draft.next = { requests, journal, verdicts };
      return;
    }
    case 'StopInputs':
      draft.follows = false;
      draft.outbox = [];
      return;
    case 'React':
      draft.outbox = [...draft.outbox, { reactions: output.reactions, through: output.through }];
      return;
    case 'Watch':
      draft.watched = [...draft.watched, ...output.attempts];
      return;
    case 'Unwatch':
      draft.watched = draft.watched.filter(({ attemptId }) => !output.attemptIds.includes(attemptId));
      return;
    case 'Close':
      draft.closes = [...draft.closes, ...output.attempts];
      return;
    case 'StopLane':
      draft.stopped = output.reason;
  }
};

const logOf = (kit: Kit, values: readonly Uint8Array[]): Log<Uint8Array> => values.map((value) => kit.cells.of(value));

/** As a cell, without what counts up and says nothing: terms, races lost, void records, the time of the last advance. */
const kept = (kit: Kit, draft: Draft): Cell<Coordinator> => {
  const { machine } = draft;
  machine.term = 0;
  machine.racesLost = 0;
  machine.advancedAt = Infinity;
  Object.assign(machine.lane.counts, { valid: 0, void: 0, repeated: 0 });
  // Nobody waits for closings of attempts that are not watched any more.
  draft.closes = draft.closes.filter(({ attemptId }) => draft.watched.some((one) => one.attemptId === attemptId));
  sealParts(machine);
  sealParts(machine.lane);
  return kit.cells.of<Coordinator>({ ...draft, machine });
};

/** Seals what the containers of a machine hold; the containers themselves go on being changed in copies. */
const sealParts = (machine: LaneMachine | LaneMachine['lane']): void => {
  for (const [name, part] of Object.entries(machine) as [string, unknown][]) {
    if (name === 'lane' || name === 'counts' || name === 'positions') continue;
    if (part instanceof Map) for (const one of part.values()) sealed(one);
    else if (Array.isArray(part)) for (const one of part) sealed(one);
    else if (!(part instanceof Set)) sealed(part);
  }
};
