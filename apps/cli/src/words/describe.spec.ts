import {
  laneEventSchema,
  runEvent,
  runEventSchema,
  sharedEvent,
  type EffectsReport,
  type HistoryEvent,
} from '@holdfast/events';
import { describeEvent, describeReport } from './describe.js';

const step = { stepId: 'file[3].write', attempt: 1 };
const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const evidence = { summary: 'looked it up' };
const report: EffectsReport = {
  applied: 2,
  absent: [],
  inDoubt: [{ stepId: 'a', attempt: 0, tool: 't@1' }],
  running: [],
  conflicts: [],
  totals: { absent: 0, inDoubt: 1, running: 0, conflicts: 0 },
  stepsSucceeded: 3,
  stepsFailed: 1,
};

const said: readonly (readonly [HistoryEvent, string])[] = [
  [{ type: 'LaneAcquired', version: 1, data: { at } }, 'A coordinator took the lane over.'],
  [
    { type: 'LaneAdvanced', version: 1, data: { positions: {}, reactedSeq: 4, replies: [], at, chain: '' } },
    'The lane advanced to seq 4.',
  ],
  [
    { type: 'InputsLost', version: 1, data: { topic: 'x', from: 1, to: 2, acceptedBy: 'ann' } },
    'Inputs 1 to 2 of x were lost; ann accepted that.',
  ],
  [
    sharedEvent('CancelRemembered', {
      runId: 'r',
      requestId: 'q',
      principal: 'ann',
      reason: 'ordered twice',
      withinMs: 1,
      mode: 'abort',
      until: at,
    }),
    'ann cancelled run r, which is not known yet: ordered twice. If it comes before 2026-01-02T03:04:05.000Z, it is cancelled.',
  ],
  [
    sharedEvent('CancelForgotten', { runId: 'r', requestId: 'q', cause: 'used' }),
    'Run r came and was cancelled, as was asked before.',
  ],
  [
    sharedEvent('BulkCancelRequested', {
      lane: 3,
      requestId: 'q',
      principal: 'ann',
      reason: 'wrong batch',
      labels: { team: 'shop', day: '2' },
      deadlineAt: at,
      mode: 'abort',
      beforeSeq: 9,
      runs: 70,
    }),
    'ann cancelled 70 runs with team=shop, day=2: wrong batch. They are over by 2026-01-02T03:04:05.000Z.',
  ],
  [sharedEvent('BulkCancelAdvanced', { requestId: 'q', cancelled: 64 }), '64 runs of them cancelled so far.'],
  [sharedEvent('BulkCancelEnded', { requestId: 'q', cancelled: 70 }), 'All of them are cancelled: 70 runs.'],
  [
    sharedEvent('TenantBudgetSet', {
      runId: 'tenant/acme',
      tenant: 'acme',
      requestId: 'q',
      principal: 'ann',
      amounts: { 'money:EUR': '100' },
    }),
    'ann lets tenant acme use 100 EUR.',
  ],
  [
    sharedEvent('GrantGiven', { tenant: 'acme', runId: 'r', ask: 1, total: {}, denied: 'effects 9/9' }),
    'Tenant acme grants run r no more: effects 9/9.',
  ],
  [
    sharedEvent('GrantQueued', { tenant: 'acme', runId: 'r', ask: 1, need: { effects: 1 }, want: { effects: 32 } }),
    'Run r asks tenant acme for a grant: 1 effects.',
  ],
  [
    sharedEvent('GrantSettled', { tenant: 'acme', runId: 'r', seq: 9, keeps: { effects: 2 }, final: false, until: at }),
    'Run r of tenant acme is over and has used 2 effects, as far as is known yet.',
  ],
  [sharedEvent('GrantForgotten', { tenant: 'acme', runId: 'r' }), 'Tenant acme no longer remembers run r.'],
  [
    runEvent('RunAccepted', {
      runId: 'r',
      requestId: 'q',
      requestHash: 'h',
      principal: 'ann',
      labels: {},
      runKey: 'k',
      program: { kind: 'plan', name: 'mission', steps: [{ id: 'a', tool: 't@1' }] },
      input: null,
      tools: {},
      acceptedAt: at,
      deadlineAt: at,
    }),
    'The run was accepted from ann: "mission" with 1 step at its top, to end by 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('StepScheduled', {
      ...step,
      tool: 't@1',
      policy: 'keyed',
      queue: 'default',
      partition: 2,
      scheduledAt: at,
      startBy: at,
      timeoutMs: 1,
      key: 'k',
      argsHash: 'h',
      claimsFrom: 0,
      settling: true,
      reservation: {},
    }),
    'file[3].write (attempt 1) was scheduled again with the same key, to settle the doubt: t@1 (keyed) on default[2].',
  ],
  [
    runEvent('AttemptHeld', { ...step, session: 's', deadline: at, claimOffset: 1 }),
    'file[3].write (attempt 1) is held by session s until 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('AttemptClosed', { ...step, claimOffset: 1, cause: 'cancel' }),
    'file[3].write (attempt 1) was closed before anybody began it (the run was cancelled): it never acts.',
  ],
  [
    runEvent('AttemptSkipped', { ...step, session: 's', reason: 'too late' }),
    'file[3].write (attempt 1) was skipped by its session: too late.',
  ],
  [
    runEvent('StepSucceeded', { ...step, by: 'verdict', session: null, result: 1 }),
    'file[3].write (attempt 1) succeeded, as the tool confirmed.',
  ],
  [
    runEvent('StepFailed', {
      ...step,
      session: 's',
      failure: { code: 'full', message: 'the disk is full' },
      final: true,
      effect: 'none',
    }),
    'file[3].write (attempt 1) failed for good: the disk is full (full; it did not act).',
  ],
  [
    runEvent('BackoffStarted', { ...step, dueAt: at, cause: 'failed' }),
    'file[3].write waits until 2026-01-02T03:04:05.000Z (after a failure).',
  ],
  [
    runEvent('DoubtOpened', {
      ...step,
      cause: 'session_ended',
      session: 's',
      deadline: at,
      settledAt: at,
      settleBy: at,
      holds: 'run',
      death: true,
    }),
    'file[3].write (attempt 1) is in doubt: its session ended without a word on it. Nothing can land after 2026-01-02T03:04:05.000Z; the run holds until it is settled.',
  ],
  [
    runEvent('ProbeRecorded', { ...step, doubtSeq: 1, probe: 2, askedAt: at, evidence }),
    'Question 2 about file[3].write (attempt 1) brought no answer: looked it up.',
  ],
  [
    runEvent('DoubtSettled', { ...step, doubtSeq: 1, verdict: 'absent', by: 'reconciler', askedAt: at, evidence }),
    'The doubt about file[3].write (attempt 1) is settled: the effect was not applied (says the tool: looked it up).',
  ],
  [
    runEvent('ConflictFound', { ...step, session: 's', found: 'succeeded', actedOn: 'absent', evidence }),
    'CONFLICT at file[3].write (attempt 1): succeeded, but absent was acted on. looked it up',
  ],
  [
    runEvent('EscalationOpened', {
      ...step,
      kind: 'doubt',
      doubtSeq: 1,
      question: 'Did it act?',
      choices: ['applied', 'absent'],
      expiresAt: at,
    }),
    'A person is asked about file[3].write (attempt 1): Did it act? Choices: applied, absent; until 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('EscalationAnswered', {
      ...step,
      escalationSeq: 1,
      choice: 'applied',
      principal: 'ann',
      requestId: 'q',
      note: 'in the ledger',
    }),
    'ann answered applied about file[3].write (attempt 1): in the ledger.',
  ],
  [
    runEvent('EscalationReminded', { ...step, escalationSeq: 1, to: ['ann', 'bob'], nth: 2, at }),
    'Reminder 2 about file[3].write (attempt 1), question 1, to ann, bob.',
  ],
  [
    runEvent('ApprovalVoided', { ...step, approvalSeq: 1, cause: 'arguments_changed' }),
    'The approval 1 for file[3].write (attempt 1) is void: the arguments are not the approved ones.',
  ],
  [
    runEvent('EscalationExpired', { ...step, escalationSeq: 1 }),
    'Nobody answered the question about file[3].write (attempt 1) in time.',
  ],
  [
    runEvent('CancelRequested', {
      requestId: 'q',
      principal: 'ann',
      reason: 'wrong folder',
      deadlineAt: at,
      mode: 'drain',
    }),
    'A cancel was requested by ann, letting running calls end: wrong folder. It is over by 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('KillRequested', { requestId: 'q', principal: 'ann', reason: 'runs wild' }),
    'ann killed the run: runs wild. It is over at once.',
  ],
  [
    runEvent('RunPaused', { requestId: 'q', principal: null, reason: '', pausedAt: at }),
    'Somebody paused the run. Nothing new starts until it is resumed.',
  ],
  [runEvent('RunResumed', { requestId: 'q', principal: 'ann', reason: '', resumedAt: at }), 'ann resumed the run.'],
  [
    runEvent('RunSteered', {
      requestId: 'q',
      principal: 'ann',
      reason: 'too slow',
      deadlineAt: at,
      windows: { each: 4 },
      limits: { amounts: { steps: 7 }, depth: 8, onExhausted: 'end' },
    }),
    'ann steered the run: too slow. It is to end by 2026-01-02T03:04:05.000Z; each has a window of 4; it may use 7 steps.',
  ],
  [runEvent('BudgetWarned', { limit: 'calls:pay', most: 10, used: 9 }), 'Most of a limit is used: calls:pay 9/10.'],
  [
    runEvent('BudgetExhausted', {
      atStep: 'a',
      short: [],
      detail: 'steps 2/2, 1 steps more wanted at step a',
      policy: 'ask',
    }),
    'The budget is used up: steps 2/2, 1 steps more wanted at step a. A person is asked for more.',
  ],
  [
    runEvent('BudgetChanged', {
      limits: { amounts: { 'money:USD': '12.5', 'calls:pay': 3 }, depth: 8, onExhausted: 'end' },
      principal: 'ann',
      requestId: 'q',
    }),
    'ann has changed what the run may use: 12.5 USD, 3 calls of pay.',
  ],
  [
    runEvent('IdleClockStarted', { since: at }),
    'How long the run makes no progress is counted from 2026-01-02T03:04:05.000Z on.',
  ],
  [
    runEvent('LoopFound', { level: 'stopped', pattern: ['t@1#h'], repeats: 6, detail: 't@1 again', policy: 'end' }),
    'The run goes in a circle: t@1 again. Nothing new is started.',
  ],
  [
    runEvent('GrantAsked', { tenant: 'acme', ask: 1, need: { effects: 1 }, want: { effects: 32 }, askedAt: at }),
    'Tenant acme is asked for a grant: 1 effects.',
  ],
  [
    runEvent('GrantReceived', { tenant: 'acme', ask: 1, total: { effects: 32 }, denied: null }),
    'Tenant acme grants 32 effects in all.',
  ],
  [runEvent('RunWaiting', { waitingFor: 'an executor', since: at }), 'The run waits for an executor.'],
  [
    runEvent('RunEnded', { reason: 'deadline_exceeded', detail: '', report, endedAt: at }),
    'The run ended: deadline exceeded. 3 steps succeeded, 1 failed, 2 effects applied, 1 STILL IN DOUBT (a/0).',
  ],
  [
    runEvent('ReportAmended', { ...step, change: 'applied after all', report }),
    'The report was amended for file[3].write: applied after all.',
  ],
  [
    runEvent('KeyGranted', { key: 'pr-7', displaces: [{ runId: 'old', ticket: 't' }], grantedAt: at }),
    'The run has the key pr-7 and replaces old.',
  ],
  [
    runEvent('KeyAwaited', { key: 'pr-7', holder: 'first', place: 2, displaces: [], since: at }),
    'The run waits for the key pr-7, which run first has; it is number 2.',
  ],
  [
    runEvent('KeyDenied', { key: 'pr-7', code: 'held', by: 'first', detail: 'run first has the key pr-7' }),
    'The run does not begin: run first has the key pr-7.',
  ],
  [
    runEvent('RunSuperseded', { by: 'new', detail: 'run new replaces it', deadlineAt: at }),
    'The run is obsolete: run new replaces it. It is over by 2026-01-02T03:04:05.000Z.',
  ],
  [sharedEvent('KeyAssigned', { key: 'pr-7', runId: 'r', ticket: 't', at, displaces: [] }), 'Run r has the key pr-7.'],
  [
    sharedEvent('KeyQueued', {
      key: 'pr-7',
      runId: 'r',
      ticket: 't',
      at,
      policy: 'queue',
      front: false,
      holder: 'first',
      place: 2,
      displaces: [],
    }),
    'Run r waits for the key pr-7 of run first, as number 2.',
  ],
  [
    sharedEvent('KeyRefused', { key: 'pr-7', runId: 'r', ticket: 't', at, code: 'queue_full', by: null }),
    'Run r does not get the key pr-7 (queue full).',
  ],
  [
    sharedEvent('KeyFreed', { key: 'pr-7', runId: 'r', ticket: 't', at, until: null }),
    'Run r is over and leaves the key pr-7.',
  ],
  [sharedEvent('KeyForgotten', { key: 'pr-7' }), 'The generation of the key pr-7 is forgotten.'],
  [
    sharedEvent('KeyReturned', { key: 'pr-7', runId: 'r', ticket: 't', at }),
    'Run r is over or unknown: the key pr-7 goes back.',
  ],
  [
    runEvent('ChildStarted', {
      stepId: 'a',
      childRunId: 'r~a',
      ticket: 't',
      depth: 1,
      detached: true,
      startedAt: at,
      bornBy: at,
      deadlineAt: null,
    }),
    'a begins run r~a, which may outlive this one.',
  ],
  [runEvent('ChildAttached', { stepId: 'b', childRunId: 'r~a' }), 'b waits for run r~a, which is under way already.'],
  [runEvent('ChildAccepted', { childRunId: 'r~a', acceptedAt: at }), 'Run r~a has begun.'],
  [runEvent('ChildLeft', { stepId: 'a', childRunId: 'r~a' }), 'a waits no longer for run r~a, which goes on.'],
  [
    runEvent('ChildEnded', {
      childRunId: 'r~a',
      reason: 'deadline_exceeded',
      detail: 'too slow',
      totals: { applied: 1, inDoubt: 2, running: 0, stepsSucceeded: 1, stepsFailed: 0 },
      endedAt: at,
    }),
    'Run r~a has ended: deadline exceeded: too slow. 2 EFFECTS OF IT ARE IN DOUBT.',
  ],
  [
    runEvent('ChildrenStopped', { reason: 'ordered twice', deadlineAt: at, children: [{ runId: 'r~a', ticket: 't' }] }),
    '1 run that it began is told to end by 2026-01-02T03:04:05.000Z: ordered twice.',
  ],
  [
    sharedEvent('ChildRefused', {
      runId: 'r~a',
      parent: { runId: 'r', stepId: 'a', ticket: 't', depth: 1, detached: false },
      code: 'invalid_program',
      message: 'no tool x@1 is registered',
    }),
    'Run r~a, begun by run r, was refused: no tool x@1 is registered.',
  ],
  [
    runEvent('CompensationStarted', { undoRunId: 'r~undo', ticket: 't', effects: 2, startedAt: at, deadlineAt: at }),
    'Run r~undo undoes 2 effects, the last one first, by 2026-01-02T03:04:05.000Z.',
  ],
  [
    runEvent('CompensationEnded', {
      outcome: 'escalation_expired',
      detail: 'nobody answered',
      undone: 1,
      held: [{ stepId: 'car', tool: 'reserve@1' }],
      heldTotal: 1,
      endedAt: at,
    }),
    '1 effect undone, 1 STILL HELD (car) (escalation expired: nobody answered).',
  ],
];

describe('telling history in words', () => {
  it.each(said.map(([event, words]) => [event.type, event, words] as const))(
    'has a sentence for %s',
    (_, event, words) => expect(describeEvent(event)).toBe(words),
  );

  it('has one for every type of event', () => {
    const types = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => shape.type.value);
    expect(said.map(([event]) => event.type).toSorted()).toEqual(types.toSorted());
  });

  it('names the first few of many uncertain effects', () => {
    const many = Array.from({ length: 7 }, (_, index) => ({ stepId: `s${index}`, attempt: 0, tool: 't@1' }));
    expect(describeReport({ ...report, absent: many, totals: { ...report.totals, absent: 7 } })).toContain(
      '7 found absent (s0/0, s1/0, s2/0, s3/0, s4/0, …)',
    );
  });
});
