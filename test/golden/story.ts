import { encodeHistory, openStep, type HistoryEvent } from '@holdfast/events';
import { FakeHistory } from '../support/fake-history.js';
import { asked, LaneHarness, queueOf } from '../support/lane-harness.js';
import { request } from '../support/messages.js';
import { planOf, step } from '../support/plans.js';

/** Plays one story in which every event happens. The same bytes each time. */
export const tellEveryEvent = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  aMission(lane);
  aRunThatNobodyServes(lane);
  aDoubtThatAPersonSettles(lane);
  aConflict(lane);
  aCancelWhoseEffectIsFoundLater(lane);
  aQuestionThatNobodyAnswers(lane);
  const next = new LaneHarness({ owner: 'C2', history: lane.history, clock: lane.clock }).seat();
  inputsLost(next);
  return lane.history;
};

/** Everything goes well, in the end: a failure, a skip, an attempt that nobody takes, a worker that dies. */
const aMission = (lane: LaneHarness): void => {
  const who = { runId: 'mission' };
  const plan = planOf(
    step('read', 'pure'),
    step('write', 'verifiable', {
      args: { text: { $from: 'steps.read.text' } },
      retry: { backoffMs: 10, triesMax: 4 },
    }),
    step('sum', 'repeatable', { after: ['write'] }),
  );
  lane.submit(plan, who).say('AttemptSucceeded', { ...who, step: 'read' }, { result: { text: 'ü 📄' } });
  lane.tick(10_000).closed('mission/write/0');
  lane
    .claims('mission/write/1')
    .say('AttemptSkipped', { ...who, step: 'write', attempt: 1 })
    .tick(300);
  lane
    .claims('mission/write/2')
    .say('AttemptFailed', { ...who, step: 'write', attempt: 2 })
    .tick(10);
  lane.claims('mission/write/3', 'S3').dies('S3').tick(2_000);
  const about = { runId: 'mission', stepId: 'write', attempt: 3 };
  lane.judge(doubtOf(lane, 'mission', 'write'), 'unknown', { ...about, askedAt: lane.clock.now });
  lane.judge(doubtOf(lane, 'mission', 'write'), 'applied', { ...about, askedAt: lane.clock.now, result: 'found' });
  lane.claims('mission/sum/0', 'S4').dies('S4').claims('mission/sum/1');
  lane.say('AttemptSucceeded', { ...who, step: 'sum', attempt: 1 });
};

const aRunThatNobodyServes = (lane: LaneHarness): void => {
  lane.queues = {};
  lane.submit(planOf(step('a', 'pure')), { runId: 'waits' });
  lane.queues = { default: queueOf() };
  lane.tick(1).say('AttemptSucceeded', { runId: 'waits' });
};

const aDoubtThatAPersonSettles = (lane: LaneHarness): void => {
  lane
    .submit(planOf(step('a', 'unprotected')), { runId: 'asks' })
    .claims('asks/a/0')
    .say('AttemptUnknown', { runId: 'asks' });
  lane.tick(2_000);
  answer(lane, 'asks', 'applied');
};

const aConflict = (lane: LaneHarness): void => {
  const who = { runId: 'conflict' };
  lane
    .submit(planOf(step('a', 'verifiable')), who)
    .claims('conflict/a/0', 'S5')
    .dies('S5', 'session_expired')
    .tick(2_000);
  lane.judge(doubtOf(lane, 'conflict', 'a'), 'absent', { ...who, askedAt: lane.clock.now });
  lane.say('AttemptSucceeded', { ...who, session: 'S5' }).claims('conflict/a/1', 'S6');
  lane.say('AttemptSucceeded', { ...who, attempt: 1, session: 'S6' });
  answer(lane, 'conflict', 'acknowledge');
};

const aCancelWhoseEffectIsFoundLater = (lane: LaneHarness): void => {
  lane.submit(planOf(step('a', 'verifiable')), { runId: 'cancelled' }).claims('cancelled/a/0', 'S7');
  lane.cancel('cancelled', 100).tick(100);
  lane.say('AttemptSucceeded', { runId: 'cancelled', session: 'S7' });
};

const aQuestionThatNobodyAnswers = (lane: LaneHarness): void => {
  lane
    .submit(planOf(step('a', 'unprotected')), { runId: 'silent' })
    .claims('silent/a/0', 'S8')
    .dies('S8')
    .tick(2_000);
  lane.tick(200_000);
};

const doubtOf = (lane: LaneHarness, runId: string, stepId: string): number =>
  openStep(lane.live(runId), stepId)?.doubt?.seq ?? -1;

const answer = (lane: LaneHarness, runId: string, choice: 'applied' | 'acknowledge'): void => {
  const [question] = Object.values(lane.live(runId).escalations);
  const data = { requestId: `answer ${runId}`, runId, choice, escalation: question?.seq ?? -1 };
  lane.arrive(asked(request('AnswerEscalation', data)));
};

/** A person has accepted that inputs are gone. */
const inputsLost = ({ machine, history, clock }: LaneHarness): void => {
  const { epoch, seq, owner } = machine.lane;
  const data = { topic: 'verdicts', from: 4, to: 6, acceptedBy: 'operator@example.org' };
  const event: HistoryEvent = { type: 'InputsLost', version: 1, data };
  const place = { epoch, seq: seq + 1, owner: owner ?? '', first: seq + 1, size: 1 };
  const time = new Date(clock.now).toISOString();
  const record = {
    id: `0/${seq + 1}`,
    time,
    subject: null,
    principal: 'operator@example.org',
    prev: null,
    lane: place,
    event,
  };
  history.append([encodeHistory(record)]);
};
