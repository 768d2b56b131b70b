import type { Request } from '@holdfast/contracts';
import { runEvent, sharedEvent, type HistoryEvent, type HistoryRecord, type RunEventData } from '@holdfast/events';
import { T0 } from '../../support/clock.js';
import { planOf, step } from '../../support/plans.js';
import { accepted, happened, scheduled } from '../../support/run-events.js';
import { EPOCH } from '../engine/process.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Office, Sent } from '../world/office.js';
import { BulkChecks } from './bulks.js';
import { CallChecks, type CallsParts } from './calls.js';
import { ChildChecks } from './children.js';
import { History } from './history.js';
import type { Invariant, Violated } from './invariant.js';
import { Pace } from './pace.js';
import { QuestionChecks } from './questions.js';
import { StopChecks } from './stops.js';

/** What a history that is made by hand breaks: no rule that is switched off leads to it. */
type Made = (violated: Violated) => void;

const broken = (made: Made): readonly Invariant[] => {
  const found: Invariant[] = [];
  made((invariant) => void found.push(invariant));
  return found;
};

const record = (event: HistoryEvent, subject = 'run-1', seq = 0): HistoryRecord =>
  ({ event, subject, lane: { epoch: 1, seq, owner: 'C', first: seq, size: 1 } }) as unknown as HistoryRecord;
/** Facts of `run-1`, each with its place for a number. */
const all = (checks: { add(fact: HistoryRecord): void }, ...events: readonly HistoryEvent[]): void =>
  events.forEach((event, seq) => checks.add(record(event, 'run-1', seq)));
const answer = (choice: string): Pick<Request, 'type' | 'data'> => ({
  type: 'AnswerEscalation',
  data: { requestId: 'r', runId: 'run-1', escalation: 1, choice },
});
const pace = (now: () => number) => new Pace({ losses: [], slowMs: 0 } as unknown as Scenario, now, () => 0);

describe('what people have said', () => {
  const rules = { ...planOf(step('a', 'verifiable')), approvals: [{ tool: 'verifiable' }] };
  const opened = (more: Partial<RunEventData<'EscalationOpened'>> = {}) =>
    runEvent('EscalationOpened', {
      stepId: 'a',
      attempt: 0,
      kind: 'approval',
      doubtSeq: null,
      question: '',
      choices: ['approve', 'reject'],
      expiresAt: T0 + 1_000,
      approves: { tool: 'verifiable@1', toolHash: 'h', argsHash: 'hash' },
      ...more,
    });
  const answered = (choice: string, givenAt: number) =>
    runEvent('EscalationAnswered', {
      stepId: 'a',
      attempt: 0,
      escalationSeq: 1,
      choice,
      principal: null,
      requestId: 'r',
      note: '',
      givenAt,
    });
  const call = scheduled('verifiable', 0, { approvalSeq: 1 });
  const asking =
    (given: { readonly choice: string; readonly at: number }, ...events: readonly HistoryEvent[]): Made =>
    (violated) => {
      const checks = new QuestionChecks(violated);
      checks.written(answer(given.choice), given.at);
      all(checks, accepted('verifiable', rules), ...events);
    };
  const inTime = { choice: 'approve', at: T0 };

  it.each<[string, Made, readonly Invariant[]]>([
    ['an approval in time', asking(inTime, opened(), answered('approve', T0), call), []],
    ['an answer that nobody has given', asking(inTime, opened(), answered('reject', T0)), ['answersAreGiven']],
    ['an answer given at another time', asking(inTime, opened(), answered('approve', T0 + 1)), ['answersAreGiven']],
    [
      'an answer given late',
      asking({ ...inTime, at: T0 + 1_000 }, opened(), answered('approve', T0 + 1_000)),
      ['lateAnswersDoNotCount'],
    ],
    ['a call without approval', asking(inTime, opened(), call), ['onlyApprovedCalls']],
    [
      'a call under a rejection',
      asking({ ...inTime, choice: 'reject' }, opened(), answered('reject', T0), call),
      ['onlyApprovedCalls'],
    ],
    [
      'a call with other arguments',
      asking(
        inTime,
        opened({ approves: { tool: 'verifiable@1', toolHash: 'h', argsHash: 'x' } }),
        answered('approve', T0),
        call,
      ),
      ['onlyApprovedCalls'],
    ],
  ])('%s', (_, made, invariants) => expect(broken(made)).toEqual(invariants));
});

describe('stops', () => {
  const deadlineAt = EPOCH + 20_000;
  const cancel = happened('CancelRequested', { deadlineAt });
  const kill = runEvent('KillRequested', { requestId: 'k', principal: null, reason: '' } as never);
  const killed = happened('RunEnded', { cause: { kind: 'kill', detail: '', requestId: 'k' } });
  const over = happened('RunEnded');
  const stopped =
    (...steps: readonly (readonly [at: number, event: HistoryEvent])[]): Made =>
    (violated) => {
      let now = 0;
      const checks = new StopChecks(
        pace(() => now),
        violated,
      );
      for (const [at, event] of steps) {
        now = at;
        checks.add(record(event));
      }
    };

  it.each<[string, Made, readonly Invariant[]]>([
    ['a cancel in time', stopped([10_000, cancel], [20_000, over]), []],
    ['a cancel that ends late', stopped([10_000, cancel], [20_500, over]), ['cancelEndsInTime']],
    ['a kill', stopped([10_000, kill], [10_000, killed]), []],
    ['a kill that takes time', stopped([10_000, kill], [10_001, killed]), ['killedIsOver']],
    ['a kill that ends otherwise', stopped([10_000, kill], [10_000, over]), ['killedIsOver']],
    ['a step after a kill', stopped([10_000, kill], [10_000, scheduled('pure')]), ['killedIsOver']],
  ])('%s', (_, made, invariants) => expect(broken(made)).toEqual(invariants));
});

describe('cancels by labels', () => {
  const labels = { team: 'red' };
  const run = (runId: string, of: object): HistoryEvent => {
    const event = accepted('pure');
    return { ...event, data: { ...event.data, runId, labels: of } } as HistoryEvent;
  };
  const bulk = { lane: 0, requestId: 'b', principal: null, reason: '', labels, mode: 'abort' as const };
  const asked = sharedEvent('BulkCancelRequested', { ...bulk, deadlineAt: T0 + 9_000, beforeSeq: 5, runs: 1 });
  const ended = (cancelled: number) => sharedEvent('BulkCancelEnded', { requestId: 'b', cancelled });
  const cancelled = (deadlineAt = T0 + 9_000) => happened('CancelRequested', { bulk: 'b', deadlineAt });
  const bulks =
    (...facts: readonly (readonly [subject: string, event: HistoryEvent])[]): Made =>
    (violated) => {
      const checks = new BulkChecks(1, violated);
      for (const [seq, [subject, event]] of facts.entries()) checks.add(record(event, subject, seq));
      checks.atEnd();
    };
  const begun = [
    ['run-1', run('run-1', labels)],
    ['other', run('other', { team: 'blue' })],
    ['', asked],
  ] as const;

  it.each<[string, Made, readonly Invariant[]]>([
    ['one that is whole', bulks(...begun, ['run-1', cancelled()], ['', ended(1)]), []],
    ['one that goes on for ever', bulks(...begun, ['run-1', cancelled()]), ['bulkIsWhole']],
    ['one that leaves a run out', bulks(...begun, ['', ended(0)]), ['bulkIsWhole']],
    ['one that counts wrongly', bulks(...begun, ['run-1', cancelled()], ['', ended(2)]), ['bulkIsWhole']],
    [
      'one that takes another run',
      bulks(...begun, ['other', cancelled()], ['run-1', cancelled()], ['', ended(1)]),
      ['bulkIsWhole'],
    ],
    ['one that takes more time', bulks(...begun, ['run-1', cancelled(T0 + 9_001)], ['', ended(0)]), ['bulkIsWhole']],
  ])('%s', (_, made, invariants) => expect(broken(made)).toEqual(invariants));
});

describe('what a parent is told', () => {
  const parent = { runId: 'run-1', stepId: 'a', ticket: 't', depth: 1, detached: false };
  const born = (): HistoryEvent => {
    const event = accepted('pure');
    return { ...event, data: { ...event.data, runId: 'child', parent } } as HistoryEvent;
  };
  const started = runEvent('ChildStarted', { stepId: 'a', childRunId: 'child', ticket: 't' } as never);
  const told = (reason: string, applied = 0): HistoryEvent =>
    runEvent('ChildEnded', { childRunId: 'child', reason, detail: '', totals: { applied } } as never);
  const family =
    (...facts: readonly (readonly [subject: string, event: HistoryEvent])[]): Made =>
    (violated) => {
      const checks = new ChildChecks(
        pace(() => 0),
        violated,
      );
      checks.add(record(started));
      for (const [subject, event] of facts) checks.add(record(event, subject));
      checks.atEnd();
    };
  const child = ['child', born()] as const;
  const over = ['child', happened('RunEnded')] as const;

  it.each<[string, Made, readonly Invariant[]]>([
    ['the truth', family(child, over, ['run-1', told('cancelled')]), []],
    ['another end', family(child, over, ['run-1', told('failed')]), ['parentsAreTold']],
    ['other effects', family(child, over, ['run-1', told('cancelled', 1)]), ['parentsAreTold']],
    ['an end before there is one', family(child, ['run-1', told('cancelled')]), ['parentsAreTold']],
    ['that it never began, although it did', family(child, ['run-1', told('refused')]), ['parentsAreTold']],
  ])('%s', (_, made, invariants) => expect(broken(made)).toEqual(invariants));
});

describe('what history says of the world', () => {
  /** A number stands for how many effects there are from then on. */
  const world =
    (...facts: readonly (number | HistoryEvent)[]): Made =>
    (violated) => {
      let effects = 0;
      const history = new History({ count: () => effects } as unknown as Office, violated);
      history.add(record(accepted('verifiable')), () => undefined);
      for (const fact of facts) {
        if (typeof fact === 'number') effects = fact;
        else history.add(record(fact), () => undefined);
      }
    };
  const [first, again] = [scheduled('verifiable'), scheduled('verifiable', 1)];
  const succeeded = happened('StepSucceeded');

  it.each<[string, Made, readonly Invariant[]]>([
    ['a success with its effect', world(first, 1, succeeded), []],
    ['a success without an effect', world(first, succeeded), ['noEffectLost']],
    ['another attempt beside an effect', world(first, 1, again), ['noRunAgain']],
    ['another attempt after a success', world(first, 1, succeeded, 0, again), ['noRunAgain']],
    ['an attempt after a cancel', world(happened('CancelRequested'), first), ['stoppedSchedulesNothing']],
    ['an attempt after the end', world(happened('RunEnded'), first), ['stoppedSchedulesNothing']],
  ])('%s', (_, made, invariants) => expect(broken(made)).toEqual(invariants));
});

describe('calls', () => {
  const sent =
    (now: number): Made =>
    (violated) => {
      const process = { id: 'worker-1', times: () => ({ now }) };
      const history = new History({ count: () => 0 } as unknown as Office, violated);
      history.add(record(scheduled('verifiable')), () => undefined);
      const parts = { history, violated, sessionsOf: () => new Set(['S']) };
      const calls = new CallChecks(parts as unknown as CallsParts);
      calls.claimed('run-1/a/0', { session: 'S', deadline: T0 + 1_000, at: 0, offset: 0 });
      const ref = { runId: 'run-1', stepId: 'a', attempt: 0, policy: 'verifiable', process };
      calls.sends(ref as unknown as Sent);
    };
  const unknown: Made = (violated) => {
    const history = new History({ count: () => 0 } as unknown as Office, violated);
    const calls = new CallChecks({ history, violated, concurrency: 1 } as unknown as CallsParts);
    calls.begins({ process: { id: 'worker-1' }, id: 'run-1/a/0', policy: 'pure', running: 1 } as never);
  };

  it.each<[string, Made, readonly Invariant[]]>([
    ['an effect in time', sent(T0 + 1_000), []],
    ['an effect after the deadline of its claim', sent(T0 + 1_001), ['noEffectAfterItsDeadline']],
    ['a call that was never scheduled', unknown, ['commandsFollowHistory']],
  ])('%s', (_, made, invariants) => expect(broken(made)).toEqual(invariants));
});
