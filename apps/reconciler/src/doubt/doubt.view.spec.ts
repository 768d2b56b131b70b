import { createHash } from 'node:crypto';
import { emptyReport } from '../../../../test/support/run-events.js';
import {
  argsHash,
  argumentsIn,
  evolve,
  runEvent,
  type Digest,
  type ReplayPolicy,
  type RunEvent,
  type RunState,
} from '@holdfast/events';
import { doubtsOf } from './doubt.view.js';

const digest: Digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
const TTL = 600_000;
const ARGS = { name: 'a' };

const accepted = (policy: ReplayPolicy, verify: boolean): RunEvent =>
  runEvent('RunAccepted', {
    runId: 'run-1',
    requestId: 'r',
    requestHash: 'h',
    principal: null,
    labels: {},
    runKey: 'key',
    program: { kind: 'plan', steps: [{ id: 'write', tool: 't@1', args: { name: { $from: 'input.name' } } }] },
    input: { name: 'a' },
    tools: {
      't@1': {
        name: 't',
        version: '1',
        policy,
        queue: 'q',
        timeoutMs: 1_000,
        settleMs: 500,
        keyTtlMs: TTL,
        verify,
        spawns: false,
        hash: 'h',
      },
    },
    acceptedAt: 0,
    deadlineAt: 1e9,
  });

const scheduled = (policy: ReplayPolicy, attempt = 0): RunEvent =>
  runEvent('StepScheduled', {
    stepId: 'write',
    attempt,
    tool: 't@1',
    policy,
    queue: 'q',
    partition: 0,
    scheduledAt: 100,
    startBy: 60_100,
    timeoutMs: 1_000,
    key: 'key/write',
    argsHash: argsHash(digest, ARGS),
    claimsFrom: 0,
    settling: attempt > 0,
    reservation: {},
  });

const doubt = (attempt = 0, settledAt = 9_000): RunEvent =>
  runEvent('DoubtOpened', {
    stepId: 'write',
    attempt,
    cause: 'session_ended',
    session: 's',
    deadline: 8_500,
    settledAt,
    settleBy: 900_000,
    holds: 'run',
    death: true,
  });

const cancel = runEvent('CancelRequested', {
  requestId: 'c',
  principal: null,
  reason: '',
  deadlineAt: 5,
  mode: 'abort',
});
const ended = runEvent('RunEnded', {
  reason: 'cancelled',
  detail: '',
  report: emptyReport,
  endedAt: 10,
});
const settled = runEvent('DoubtSettled', {
  stepId: 'write',
  attempt: 0,
  doubtSeq: 2,
  verdict: 'absent',
  by: 'reconciler',
  askedAt: 1,
  evidence: { summary: '' },
});

const given = (...events: RunEvent[]): RunState =>
  events.reduce<RunState | undefined>((run, event, seq) => evolve(run, event, seq), undefined) as RunState;
const history = (policy: ReplayPolicy, verify: boolean, ...more: RunEvent[]): RunState =>
  given(accepted(policy, verify), scheduled(policy), doubt(), ...more);

describe('finding the doubts of a run that a tool can be asked about', () => {
  it('finds a verifiable step in doubt, named by its event', () =>
    expect(doubtsOf(3, history('verifiable', true))).toEqual([
      {
        lane: 3,
        runId: 'run-1',
        stepId: 'write',
        attempt: 0,
        tool: 't@1',
        key: 'key/write',
        doubtSeq: 2,
        settledAt: 9_000,
        askFrom: 0,
        allInDoubt: true,
        probes: 0,
      },
    ]));

  it('finds nothing in a step that is open and not in doubt, or no longer', () => {
    expect(doubtsOf(3, given(accepted('verifiable', true), scheduled('verifiable')))).toEqual([]);
    expect(doubtsOf(3, history('verifiable', true, settled))).toEqual([]);
    expect(doubtsOf(3, undefined)).toEqual([]);
  });

  it('never asks about a step that no tool can speak for', () => {
    expect(doubtsOf(3, history('unprotected', true))).toEqual([]);
    expect(doubtsOf(3, history('repeatable', true))).toEqual([]);
    expect(doubtsOf(3, history('keyed', false))).toEqual([]);
    expect(doubtsOf(3, history('keyed', false, cancel))).toEqual([]);
  });

  it('asks about a keyed step only when its key can no longer be used', () =>
    expect(doubtsOf(3, history('keyed', true))).toMatchObject([{ askFrom: 100 + TTL - 60_000 - 1_000 - 500 }]));

  it('waits for an open settling attempt of a keyed step', () => {
    const open = history('keyed', true, scheduled('keyed', 1));
    expect(doubtsOf(3, open)).toEqual([]);
    expect(doubtsOf(3, history('keyed', true, scheduled('keyed', 1), cancel))).toMatchObject([{ allInDoubt: false }]);
  });

  it('asks about a keyed step at once when an attempt may outlive the memory of the key', () => {
    const held = (deadline: number): RunEvent =>
      runEvent('AttemptHeld', { stepId: 'write', attempt: 0, session: 's', deadline, claimOffset: 1 });
    const story = (deadline: number) =>
      given(accepted('keyed', true), scheduled('keyed'), held(deadline), doubt(0, 9_000));
    expect(doubtsOf(3, story(100 + TTL - 500))).toMatchObject([{ askFrom: 0 }]);
    expect(doubtsOf(3, story(100 + TTL - 501))).toMatchObject([{ askFrom: 538_600 }]);
  });

  it('asks about a keyed step once its run is cancelled or has ended', () => {
    expect(doubtsOf(3, history('keyed', true, cancel))).toMatchObject([{ askFrom: 0, doubtSeq: 2 }]);
    expect(doubtsOf(3, history('keyed', true, ended))).toMatchObject([{ askFrom: 0, doubtSeq: 2 }]);
  });

  it('goes on about a run that has ended', () =>
    expect(doubtsOf(3, history('verifiable', true, cancel, ended))).toHaveLength(1));

  it('waits for the latest of the attempts', () =>
    expect(doubtsOf(3, history('keyed', true, scheduled('keyed', 1), doubt(1, 20_000), cancel))).toMatchObject([
      { attempt: 1, doubtSeq: 4, settledAt: 20_000 },
    ]));
});

describe('rebuilding the arguments of a step in doubt', () => {
  const run = history('verifiable', true, ended);
  const view = doubtsOf(3, run)[0] as NonNullable<ReturnType<typeof doubtsOf>[0]>;

  it('resolves them from history, also after the end of the run', () =>
    expect(argumentsIn(run, view, digest)).toEqual({ args: ARGS }));

  it('has none when they do not have the hash of the attempt', () =>
    expect(argumentsIn(run, view, () => 'other')).toMatchObject({ problem: expect.stringContaining('hash') }));

  it('has none for a run that is gone', () => {
    expect(argumentsIn(undefined, view, digest)).toHaveProperty('problem');
    expect(argumentsIn(run, { ...view, attempt: 9 }, digest)).toHaveProperty('problem');
  });
});
