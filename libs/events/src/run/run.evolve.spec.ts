import { accepted, emptyReport, happened, scheduled } from '../../../../test/support/run-events.js';
import { frozen } from '../../../../test/support/frozen.js';
import { Defect } from '../defect.js';
import { evolve } from './run.evolve.js';
import { runEvent, type RunEvent } from './run.events.js';
import type { RunState } from './run.state.js';

const after = (...events: readonly RunEvent[]): RunState | undefined => {
  let state: RunState | undefined;
  events.forEach((event, seq) => {
    state = frozen(evolve(state, event, seq));
  });
  return state;
};

const begun = [accepted('verifiable'), scheduled('verifiable')] as const;
const ref = { stepId: 'a', attempt: 0 };
const ended = runEvent('RunEnded', { reason: 'cancelled', detail: '', report: emptyReport, endedAt: 1 });
const evidence = { summary: 'looked' };
const settled = (doubtSeq: number, verdict: 'absent' | 'applied') =>
  runEvent('DoubtSettled', { ...ref, doubtSeq, verdict, by: 'reconciler', askedAt: 1, evidence });

describe('a history that contradicts itself stops its reader', () => {
  it.each<[string, readonly RunEvent[]]>([
    ['a run that begins twice', [...begun, accepted('verifiable')]],
    ['an event before the run', [scheduled('verifiable')]],
    ['an event after all was settled', [accepted('verifiable'), ended, scheduled('verifiable')]],
    ['the same attempt scheduled again', [...begun, scheduled('verifiable')]],
    ['an attempt that was left out', [accepted('verifiable'), scheduled('verifiable', 1)]],
    ['a holder of an attempt that is not open', [...begun, happened('AttemptClosed'), happened('AttemptHeld')]],
    ['a success of a step that is done', [...begun, happened('StepSucceeded'), happened('StepSucceeded')]],
    ['a doubt that is not open', [...begun, happened('AttemptHeld'), happened('DoubtOpened'), settled(99, 'absent')]],
    ['an answer to nothing', [...begun, runEvent('EscalationExpired', { ...ref, escalationSeq: 7 })]],
  ])('%s', (_, events) => {
    expect(() => after(...events)).toThrow(Defect);
  });
});

describe('what follows for a step', () => {
  const doubted = [...begun, happened('AttemptHeld'), happened('DoubtOpened')] as const;

  it.each<[string, readonly RunEvent[], object]>([
    ['closed: nothing may act, no try was used', [...begun, happened('AttemptClosed')], { attempts: [], tries: 0 }],
    ['skipped: as if closed', [...begun, happened('AttemptSkipped')], { attempts: [], tries: 0 }],
    [
      'held: by whom and how long',
      [...begun, happened('AttemptHeld')],
      { attempts: [{ status: 'held', holder: { session: 'S' } }] },
    ],
    [
      'in doubt: the attempt may have acted',
      doubted,
      { attempts: [{ status: 'doubtful' }], deaths: 1, doubt: { seq: 3 } },
    ],
    ['absent: a try was used', [...doubted, settled(3, 'absent')], { attempts: [], doubt: null, tries: 1 }],
  ])('%s', (_, events, step) => {
    expect(after(...events)).toMatchObject({ steps: [step] });
  });

  it('succeeded: it is open no more', () => {
    expect(after(...begun, happened('StepSucceeded'))).toMatchObject({ steps: [], report: { applied: 1 } });
  });

  it('a second doubt of a step keeps the later moment and the stronger hold', () => {
    const more = { attempt: 1, settledAt: 5, settleBy: 6, holds: 'step', death: false } as const;
    const second = [
      scheduled('keyed', 1, { settling: true }),
      happened('AttemptHeld', { attempt: 1 }),
      happened('DoubtOpened', more),
    ];
    const first = [accepted('keyed'), scheduled('keyed'), happened('AttemptHeld'), happened('DoubtOpened')];
    const before = after(...first);
    const doubt = before?.status === 'running' ? before.steps[0]?.doubt : null;
    expect(after(...first, ...second)).toMatchObject({
      steps: [{ doubt: { settledAt: doubt?.settledAt, settleBy: doubt?.settleBy, holds: 'run', attempt: 1 } }],
    });
  });
});

describe('what is left of a run that has ended', () => {
  it('its id, its request and its end, when nothing is in doubt', () => {
    expect(after(accepted('verifiable'), ended)).toEqual({
      status: 'ended',
      runId: 'run-1',
      requestId: 'submit',
      requestHash: 'hash',
      end: { reason: 'cancelled', endedAt: 1 },
    });
  });

  it('the steps that may still turn out to have acted', () => {
    expect(after(...begun, happened('AttemptHeld'), ended)).toMatchObject({
      status: 'closing',
      steps: [{ stepId: 'a' }],
    });
  });

  it('no question whether to try again', () => {
    const question = runEvent('EscalationOpened', {
      ...ref,
      kind: 'exhausted',
      doubtSeq: null,
      question: '?',
      choices: ['retry', 'fail'],
      expiresAt: 1,
    });
    expect(after(...begun, happened('AttemptClosed'), question, ended)).toMatchObject({ status: 'ended' });
  });
});
