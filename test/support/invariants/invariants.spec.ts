import { newLane, runEvent, type HistoryEvent, type HistoryRecord, type LaneState } from '@holdfast/events';
import type { StepOrder } from '@holdfast/contracts';
import type { ClaimContent } from '../../../apps/executor/src/session/session.messages.js';
import { T0 } from '../clock.js';
import { word } from '../messages.js';
import { accepted, emptyReport, happened, scheduled } from '../run-events.js';
import { invariants, type Effect, type Evidence } from './index.js';

/** A history of `run-1`, after its lane was taken and the run accepted. */
const historyOf = (...events: readonly HistoryEvent[]): readonly HistoryRecord[] =>
  [acquired, accepted('verifiable'), ...events].map((event, seq) => ({
    id: `0/${seq}`,
    time: '',
    subject: event.type === 'LaneAcquired' ? null : 'run-1',
    principal: null,
    lane: { epoch: 1, seq, owner: 'C', first: seq, size: 1 },
    prev: null,
    event,
  }));

const acquired = { type: 'LaneAcquired', version: 1, data: {} } as unknown as HistoryEvent;
const read = (requests: number, journal: number): LaneState => ({ ...newLane(), positions: { requests, journal } });
const ended = runEvent('RunEnded', {
  reason: 'succeeded',
  detail: '',
  endedAt: T0,
  report: { ...emptyReport, applied: 1, stepsSucceeded: 1 },
});
const failed = (final: boolean, effect: 'none' | 'unknown') =>
  runEvent('StepFailed', {
    stepId: 'a',
    attempt: 0,
    session: 'S',
    final,
    effect,
    failure: { code: 'refused', message: 'it said no' },
  });
const settled = (verdict: 'applied' | 'absent' | 'rerun') =>
  runEvent('DoubtSettled', {
    stepId: 'a',
    attempt: 0,
    doubtSeq: 3,
    verdict,
    by: 'reconciler',
    askedAt: T0,
    evidence: { summary: 'the tool says so' },
  });
const conflict = (attempt: number) =>
  runEvent('ConflictFound', {
    stepId: 'a',
    attempt,
    session: 'S',
    found: 'succeeded',
    actedOn: 'closed',
    evidence: { summary: 'it acted' },
  });

const id = 'run-1/a/0';
const claimed = (session: string): ClaimContent =>
  ({ type: 'AttemptClaimed', data: { attemptId: id, session } }) as unknown as ClaimContent;
const closed = { type: 'AttemptClosed', data: { attemptId: id } } as unknown as ClaimContent;
const effect = (more: Partial<Effect> = {}): Effect => ({
  attemptId: id,
  stepId: 'a',
  key: 'key/a',
  policy: 'verifiable',
  session: 'S',
  applied: true,
  ...more,
});
const again = effect({ attemptId: 'run-1/a/1' });
const order = (more: Partial<StepOrder> = {}): StepOrder => {
  const { data } = scheduled('verifiable') as { data: object };
  return { ...data, attemptId: id, ...more } as unknown as StepOrder;
};

/** One step, called once: everything is as it should be. */
const sound: Evidence = {
  history: historyOf(scheduled('verifiable'), happened('StepSucceeded'), ended),
  lane: read(1, 1),
  defect: null,
  claims: [claimed('S')],
  commands: [order()],
  journal: [word('AttemptSucceeded')],
  ledger: [effect()],
};
const after = (policy: string, ...events: readonly HistoryEvent[]): Partial<Evidence> => ({
  history: historyOf(scheduled(policy), ...events),
});
const secondOwner = sound.history.map((record, at) =>
  at < 2 ? record : { ...record, lane: { ...record.lane, owner: 'D' } },
);
const renumbered = (record: HistoryRecord, seq: number): HistoryRecord => ({
  ...record,
  lane: { ...record.lane, seq },
});
const over: LaneState = { ...read(1, 1), runs: new Map([['run-1', { run: { status: 'ended' } as never, prev: '' }]]) };
const inDoubt = happened('DoubtOpened');
const next = (policy = 'verifiable') => scheduled(policy, 1);

type Row = readonly [what: string, change: Partial<Evidence>];
type Rows = { readonly holds: readonly Row[]; readonly breaks: readonly Row[] };

const table: Readonly<Record<string, Rows>> = {
  'no effect before its claim is durable and first': {
    holds: [['a pure step needs no claim', { claims: [], ledger: [effect({ policy: 'pure' })] }]],
    breaks: [
      ['nobody has claimed', { claims: [] }],
      ['the attempt was closed first', { claims: [closed, claimed('S')] }],
      ['another session was first', { claims: [claimed('T'), claimed('S')] }],
    ],
  },
  'at most one attempt of a step acts, and once, unless its policy allows more': {
    holds: [
      ['the tool dropped the repeat', { ledger: [effect(), { ...again, applied: false }] }],
      [
        'a repeatable step was run again',
        { ledger: [effect(), again].map((one) => ({ ...one, policy: 'repeatable' })) },
      ],
      ['two sessions made a pure call', { ledger: [effect(), effect()].map((one) => ({ ...one, policy: 'pure' })) }],
    ],
    breaks: [
      ['two attempts acted', { ledger: [effect(), again] }],
      ['one attempt of a repeatable step acted twice', { ledger: Array(2).fill(effect({ policy: 'repeatable' })) }],
    ],
  },
  'no attempt is run again without absent, a policy that allows it, or a person': {
    holds: [
      ['it was found absent', after('verifiable', inDoubt, settled('absent'), next())],
      ['it was closed', after('verifiable', happened('AttemptClosed'), next())],
      ['it failed without acting', after('verifiable', failed(false, 'none'), next())],
      ['its policy allows it', after('repeatable', inDoubt, settled('rerun'), next('repeatable'))],
      ['its key allows it', after('keyed', inDoubt, scheduled('keyed', 1, { settling: true }))],
    ],
    breaks: [
      ['nothing is known', after('verifiable', next())],
      ['it is in doubt', after('verifiable', inDoubt, next())],
      ['it is to be run again against its policy', after('verifiable', inDoubt, settled('rerun'), next())],
      ['it was found applied', after('verifiable', inDoubt, settled('applied'), next())],
      ['it has succeeded', after('repeatable', happened('StepSucceeded'), next('repeatable'))],
      ['it failed and may have acted', after('verifiable', failed(false, 'unknown'), next())],
      ['absent was said before it was in doubt', after('verifiable', settled('absent'), next())],
    ],
  },
  'what was closed, skipped, failed or found absent has not acted and never acts': {
    holds: [['it failed and may have acted', after('verifiable', failed(true, 'unknown'))]],
    breaks: [
      ['it was closed', after('verifiable', happened('AttemptClosed'))],
      ['it was skipped', after('verifiable', happened('AttemptSkipped'))],
      ['it said that it did not act', after('verifiable', failed(true, 'none'))],
      ['it was found absent', after('verifiable', inDoubt, settled('absent'))],
    ],
  },
  'a lane has one valid owner at each position, and its history can be folded': {
    holds: [['nothing is there', { history: [] }]],
    breaks: [
      ['it cannot be folded', { defect: 'a gap' }],
      ['two write in one epoch', { history: secondOwner }],
      ['a record is missing', { history: sound.history.filter((_, at) => at !== 2) }],
      ['an epoch begins without its owner', { history: sound.history.slice(1).map(renumbered) }],
    ],
  },
  'inputs are consumed once, each with its consequence': {
    holds: [
      ['a good outcome that contradicts', after('verifiable', happened('AttemptClosed'), conflict(0))],
      ['an outcome that is not read yet', { ...after('verifiable'), lane: read(1, 0) }],
      ['the word of somebody else', { ...after('verifiable'), claims: [claimed('T'), claimed('S')] }],
    ],
    breaks: [
      ['a request without an answer', { lane: read(2, 1) }],
      ['a good outcome without consequence', after('verifiable')],
      ['only an earlier failure that was not the end', after('verifiable', failed(false, 'none'), next())],
      ['only the conflict of another attempt', after('verifiable', conflict(1))],
      ['a run accepted twice', { history: historyOf(...sound.history.slice(1).map(({ event }) => event)) }],
      ['a step that succeeded twice', after('verifiable', happened('StepSucceeded'), happened('StepSucceeded'))],
      ['an attempt scheduled twice', after('verifiable', scheduled('verifiable'), happened('StepSucceeded'))],
    ],
  },
  'a command is published only for valid history': {
    holds: [['it was published twice', { commands: [order(), order()] }]],
    breaks: [
      ['its attempt was never scheduled', { commands: [order({ attemptId: 'run-1/a/1' })] }],
      ['it says something else', { commands: [order({ startBy: T0 })] }],
    ],
  },
  'the report of an ended run agrees with the ledger of effects': {
    holds: [['the run goes on', { ...after('verifiable') }]],
    breaks: [
      ['an effect is not told', after('verifiable', ended)],
      ['an effect is told that is not there', { ledger: [], lane: over }],
    ],
  },
};

const rowsOf = (kind: keyof Rows) =>
  invariants.flatMap((invariant) => (table[invariant.name]?.[kind] ?? []).map((row) => ({ invariant, row })));
const cases = (kind: keyof Rows) =>
  rowsOf(kind).map(({ invariant, row: [what, change] }) => [invariant.name, what, invariant, change] as const);

describe('what must hold of log and ledger', () => {
  it('has rows of both kinds for each invariant, and for no other', () => {
    expect(Object.keys(table).toSorted()).toEqual(invariants.map(({ name }) => name).toSorted());
    for (const { holds, breaks } of Object.values(table)) expect([holds.length, breaks.length]).not.toContain(0);
  });

  it.each(invariants)('$name: holds of one step that was called once', ({ breach }) =>
    expect(breach(sound)).toBeNull(),
  );

  it.each(cases('holds'))('%s: holds when %s', (_, __, { breach }, change) =>
    expect(breach({ ...sound, ...change })).toBeNull(),
  );

  it.each(cases('breaks'))('%s: is broken when %s', (_, __, { breach }, change) =>
    expect(breach({ ...sound, ...change })).toEqual(expect.any(String)),
  );
});
