import { planOf, step } from '../support/plans.js';
import type { Configuration, RulesOff } from './world/kit.js';

const retry = { triesMax: 2, backoffMs: 1_000 };
const one = (tool: string) => planOf(step('a', tool, { retry, deathsMax: 2 }));
const two = (first: string, second: string) =>
  planOf(step('a', first, { retry, deathsMax: 2 }), step('b', second, { retry, deathsMax: 2, after: ['a'] }));

/** Small systems that are explored to the end, the largest first: two are explored at a time. */
export const configurations: readonly Configuration[] = [
  {
    name: 'zombie',
    about: 'a living session is taken for dead and goes on; the tool drops repeats of a key',
    program: one('keyed'),
    coordinators: 1,
    executors: 2,
    faults: { zombie: 1 },
  },
  {
    name: 'seat-and-lost-answer',
    about: 'the seat of the lane moves while its owner is at work, and an append of history is not answered',
    program: one('verifiable'),
    coordinators: 2,
    executors: 1,
    faults: { laneSeat: 1, lostHistory: 1 },
    epochsMax: 2,
  },
  {
    name: 'cancel-and-worker-dies',
    about: 'the run is cancelled and the worker dies, in either order',
    program: one('verifiable'),
    coordinators: 1,
    executors: 1,
    faults: { cancel: 1, workerCrash: 1 },
  },
  {
    name: 'run-again',
    about: 'a step that may be run again, then one that may not; a session is taken for dead, an outcome is unknown',
    program: two('repeatable', 'verifiable'),
    coordinators: 1,
    executors: 1,
    faults: { zombie: 1, unknownOutcome: 1 },
  },
  {
    name: 'two-owners',
    about: 'the seat of the lane moves, and both believe in it for a while',
    program: one('verifiable'),
    coordinators: 2,
    executors: 1,
    faults: { laneSeat: 1 },
    epochsMax: 3,
  },
  {
    name: 'queue-seat-and-worker-dies',
    about: 'a worker dies and the seat of the queue moves to another executor, in either order',
    program: one('verifiable'),
    coordinators: 1,
    executors: 2,
    faults: { workerCrash: 1, queueSeat: 1 },
  },
  {
    name: 'both-die',
    about: 'a coordinator and a worker die, in either order, and others take over',
    program: one('verifiable'),
    coordinators: 2,
    executors: 2,
    faults: { coordinatorCrash: 1, workerCrash: 1 },
    epochsMax: 3,
  },
  {
    name: 'two-steps',
    about: 'two steps in turn, the worker dies twice',
    program: two('verifiable', 'keyed'),
    coordinators: 1,
    executors: 1,
    faults: { workerCrash: 2 },
  },
  {
    name: 'lost-claim-and-cancel',
    about: 'a claim is not answered, and the run is cancelled',
    program: one('verifiable'),
    coordinators: 1,
    executors: 1,
    faults: { lostClaim: 1, cancel: 1 },
  },
  {
    name: 'zombie-and-slow',
    about: 'a living session is taken for dead and its call takes longer than it may; the tool is asked',
    program: one('verifiable'),
    coordinators: 1,
    executors: 1,
    faults: { zombie: 1, slow: 1 },
  },
  {
    name: 'lost-close-and-slow',
    about: 'an attempt is not begun in time, and its closing is not answered',
    program: one('verifiable'),
    coordinators: 1,
    executors: 1,
    faults: { lostClose: 1, slow: 1 },
  },
  {
    name: 'worker-dies',
    about: 'a worker dies, a claim is not answered, another executor goes on; the tool is asked',
    program: one('verifiable'),
    coordinators: 1,
    executors: 2,
    faults: { workerCrash: 1, lostClaim: 1 },
  },
  {
    name: 'person',
    about: 'a living session is taken for dead, time passes, and nobody but a person can tell',
    program: one('unprotected'),
    coordinators: 1,
    executors: 1,
    faults: { zombie: 1, slow: 1 },
  },
  {
    name: 'tool-trouble',
    about: 'a tool fails, does not know whether it acted, and cannot answer when asked',
    program: one('verifiable'),
    coordinators: 1,
    executors: 1,
    faults: { failedCall: 1, unknownOutcome: 1, silentTool: 2 },
  },
  {
    name: 'pure',
    about: 'a step without a claim; its worker dies and a living session is taken for dead, in either order',
    program: one('pure'),
    coordinators: 1,
    executors: 2,
    faults: { workerCrash: 1, zombie: 1 },
  },
  {
    name: 'coordinator-dies',
    about: 'a coordinator dies, an append is not answered, and a read shows an old end',
    program: one('verifiable'),
    coordinators: 2,
    executors: 1,
    faults: { coordinatorCrash: 1, lostHistory: 1, staleRead: 1 },
    epochsMax: 3,
  },
];

const small = (about: string, change: Partial<Configuration>): Configuration => ({
  name: about,
  about,
  program: one('verifiable'),
  coordinators: 1,
  executors: 1,
  faults: {},
  epochsMax: 3,
  ...change,
});

/** Explored in a second or two, with every run of the tests. */
export const smallest: readonly Configuration[] = [
  small('an answer of history is lost', { faults: { lostHistory: 1 } }),
  small('a worker dies', { faults: { workerCrash: 1 } }),
  small('a living session is taken for dead', { faults: { zombie: 1 } }),
  small('a worker dies in a step without a claim', { program: one('pure'), faults: { workerCrash: 1 } }),
  small('a coordinator dies', { coordinators: 2, faults: { coordinatorCrash: 1 } }),
  small('an unprotected tool does not know whether it acted', {
    program: one('unprotected'),
    faults: { unknownOutcome: 1 },
  }),
];

/** A rule taken away, and the small system in which that does harm. */
export type Mutation = {
  readonly rule: string;
  readonly off: RulesOff;
  readonly configuration: Configuration;
  /** What is broken then: an invariant, or that the run comes to an end. */
  readonly breaks: string;
};

export const NO_END = 'an end can be reached without faults';

export const mutations: readonly Mutation[] = [
  {
    rule: 'sameBytes',
    off: { lane: { sameBytes: false } },
    configuration: small('an answer of history is lost while a cancel arrives', {
      faults: { lostHistory: 1, cancel: 1 },
    }),
    breaks: 'a lane has one valid owner at each position, and its history can be folded',
  },
  {
    rule: 'firstClaimWins',
    off: { session: { firstClaimWins: false } },
    configuration: small('the seat of the queue moves', { executors: 2, faults: { queueSeat: 1 } }),
    breaks: 'no effect before its claim is durable and first',
  },
  {
    rule: 'settleWindow, absentOnlyAfterSettled',
    off: { lane: { settleWindow: false }, asking: { absentOnlyAfterSettled: false } },
    configuration: small('a living session is taken for dead', { faults: { zombie: 1 } }),
    breaks: 'what was closed, skipped, failed or found absent has not acted and never acts',
  },
  {
    rule: 'tryAgain',
    off: { lane: { tryAgain: false } },
    configuration: small('the seat of the lane moves', { coordinators: 2, faults: { laneSeat: 1 } }),
    breaks: NO_END,
  },
  {
    rule: 'closeAtStartBy',
    off: { lane: { closeAtStartBy: false } },
    configuration: small('an attempt is not begun in time', { faults: { slow: 1 } }),
    breaks: NO_END,
  },
  {
    rule: 'claimBeforeCall',
    off: { session: { claimBeforeCall: false } },
    configuration: small('nothing goes wrong', {}),
    breaks: 'no effect before its claim is durable and first',
  },
  {
    rule: 'oneCallPerClaim',
    off: { session: { oneCallPerClaim: false } },
    configuration: small('a coordinator dies and another publishes the command again', {
      coordinators: 2,
      faults: { coordinatorCrash: 1 },
    }),
    breaks: 'at most one attempt of a step acts, and once, unless its policy allows more',
  },
];
