import { lanePlan, queuePlan, topicNames } from '@holdfast/contracts';
import { MemoryCluster } from '@holdfast/log';
import { scheduled } from '../../support/run-events.js';
import { atEnd, type Checks, type Success } from './at-end.js';
import { History } from './history.js';
import type { Invariant } from './invariant.js';

const names = topicNames('t');
const success: Success = {
  runId: 'run-1',
  stepId: 'a',
  attemptId: 'run-1/a/0',
  session: 'S',
  lane: 0,
  offset: 3,
};

/** What is broken where everything has come to rest, with what is not as it should be. */
const broken = (wrong: {
  readonly successes?: readonly Success[];
  readonly unanswered?: readonly string[];
  readonly live?: object;
  readonly stopped?: string;
  readonly next?: number;
}): readonly Invariant[] => {
  const found: Invariant[] = [];
  const violated = (invariant: Invariant): void => void found.push(invariant);
  const cluster = new MemoryCluster();
  for (const plan of [...lanePlan(names, 1), ...queuePlan(names, 'default', 1)]) cluster.create(plan);
  const history = new History({ count: () => 0 } as never, violated);
  history.add({ event: scheduled('pure'), subject: 'run-1', lane: {} } as never, () => undefined);
  const state = { seq: 7, counts: { valid: 7 }, positions: { [names.journal]: 4 } };
  const checks = {
    parts: { cluster, names, scenario: { runs: [], lanes: 1, partitions: 1 }, office: { count: () => 0 } },
    history,
    calls: { firsts: new Map() },
    lanes: [{ next: 9, state }],
    successes: wrong.successes ?? [],
    journalAtEnd: new Map(),
    unanswered: () => wrong.unanswered ?? [],
    isRefused: () => false,
    bounds: { atEnd: () => undefined },
  };
  const machine = { next: wrong.next ?? 9, flight: null, lane: { ...state, counts: null, ...wrong.live } };
  const runner = { machine, setting: { lane: 0 }, leading: true, stopped: wrong.stopped ?? null };
  atEnd(checks as unknown as Checks, [{ runners: new Map([[0, runner]]) }] as never, violated);
  return found;
};

describe('when everything has come to rest', () => {
  it.each<[string, Parameters<typeof broken>[0], readonly Invariant[]]>([
    ['all is well', {}, []],
    ['a success was passed over', { successes: [success] }, ['inputsOnce']],
    ['a success that nobody has read yet is none', { successes: [{ ...success, offset: 4 }] }, []],
    ['nobody has answered', { unanswered: ['q'] }, ['everyRequestIsAnswered']],
    ['a coordinator has another state than the fold', { live: { seq: 8 } }, ['liveStateIsTheFold']],
    ['a lane has stopped', { stopped: 'why' }, ['noLaneStops']],
    ['whoever leads is behind', { next: 8 }, ['everyLaneIsLed']],
  ])('%s', (_, wrong, invariants) => expect(broken(wrong)).toEqual(invariants));
});
