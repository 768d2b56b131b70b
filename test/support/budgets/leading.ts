import type { Budget } from '@holdfast/programs';
import { LaneHarness, queueOf, asked } from '../lane-harness.js';
import { request } from '../messages.js';
import { planOf, step } from '../plans.js';
import { catalogueOf, tool } from '../tools.js';

export const tools = catalogueOf(
  tool('pure'),
  tool('keyed'),
  tool('verifiable'),
  tool('repeatable'),
  tool('repeatable', { name: 'model', cost: { tokensIn: 100, tokensOut: 50, 'money:USD': '0.50' } }),
);

export const lead = (options: ConstructorParameters<typeof LaneHarness>[0] = {}) => {
  const lane = new LaneHarness(options);
  lane.catalogue = tools;
  lane.queues = { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools: new Set(tools.keys()) }] }) };
  return lane.seat();
};

export const chain = (policy: string, ...ids: readonly string[]) =>
  planOf(...ids.map((id, at) => step(id, policy, at === 0 ? {} : { after: [ids[at - 1] ?? ''] })));
export const side = (policy: string, ...ids: readonly string[]) =>
  planOf(...ids.map((id) => ({ ...step(id, policy), hold: 'step' as const })));
export const usd = (amount: string): Budget => ({ money: { amount, currency: 'USD' } });
export const ending = (lane: LaneHarness) => {
  const end = lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event;
  return end?.type === 'RunEnded' ? `${end.data.reason}: ${end.data.detail}` : null;
};
export const raise = (lane: LaneHarness, budget?: Budget) => {
  const [open] = Object.values(lane.live().escalations);
  const said = budget === undefined ? {} : { budget };
  const data = {
    requestId: `answer ${open?.seq}`,
    runId: 'run-1',
    escalation: open?.seq ?? -1,
    choice: 'raise' as const,
  };
  return lane.arrive(asked(request('AnswerEscalation', { ...data, ...said })));
};
