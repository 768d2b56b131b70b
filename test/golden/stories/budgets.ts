import type { Budget } from '@holdfast/programs';
import type { FakeHistory } from '../../support/fake-history.js';
import { asked, LaneHarness } from '../../support/lane-harness.js';
import { request } from '../../support/messages.js';
import { planOf, step } from '../../support/plans.js';

/** Limits that are warned of, reached and raised; a run that stands still; a run that goes in a circle. */
export const tellBudgets = (): FakeHistory => {
  const lane = new LaneHarness().seat();
  aRunThatAsksForMore(lane);
  aRunThatStandsStill(lane);
  aCircle(lane);
  return lane.history;
};

const chain = (policy: string, ...ids: readonly string[]) =>
  planOf(...ids.map((id, at) => step(id, policy, at === 0 ? {} : { after: [ids[at - 1] ?? ''] })));

const aRunThatAsksForMore = (lane: LaneHarness): void => {
  const who = { runId: 'asks' };
  const budget: Budget = { effects: 1, money: { amount: '2.50', currency: 'EUR' }, onExhausted: 'ask' };
  lane.submit(chain('verifiable', 'a', 'b'), { ...who, budget }).claims('asks/a/0');
  lane.say('AttemptSucceeded', who, { used: { 'money:EUR': '1.20', tokensIn: 70 } });
  const [open] = Object.values(lane.live('asks').escalations);
  const more: Budget = { effects: 2 };
  const answer = { requestId: 'raise', ...who, escalation: open?.seq ?? -1, choice: 'raise' as const, budget: more };
  lane.arrive(asked(request('AnswerEscalation', answer)));
  lane.claims('asks/b/0').say('AttemptUnknown', { ...who, step: 'b' }, { used: { tokensIn: 5 } });
};

const aRunThatStandsStill = (lane: LaneHarness): void => {
  lane.submit(chain('unprotected', 'a'), { runId: 'still', budget: { idleMs: 100 } }).tick(100);
};

const aCircle = (lane: LaneHarness): void => {
  const who = { runId: 'circle' };
  lane.submit(chain('repeatable', 'a', 'b', 'c', 'd'), { ...who, loops: { repeatsMax: 2 } });
  for (const id of ['a', 'b', 'c']) {
    lane.claims(`circle/${id}/0`).say('AttemptSucceeded', { ...who, step: id }, { result: [] });
  }
};
