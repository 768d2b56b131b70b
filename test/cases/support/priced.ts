import type { CatalogueEntry } from '@holdfast/contracts';
import type { Json, Plan } from '@holdfast/programs';
import { asked, LaneHarness, queueOf, type HarnessOptions } from '../../support/lane-harness.js';
import { request } from '../../support/messages.js';
import { planOf, step } from '../../support/plans.js';
import { catalogueOf, tool } from '../../support/tools.js';

/** A model whose call may use this much, and a search that costs nothing. */
export const model: CatalogueEntry = tool('repeatable', {
  name: 'model',
  cost: { tokensIn: 2_000, 'money:USD': '0.20' },
});
export const tools = catalogueOf(
  model,
  tool('repeatable', { name: 'search' }),
  tool('repeatable', { name: 'estimate', cost: { 'money:USD': '9.90' } }),
  tool('unprotected', { name: 'once' }),
  tool('verifiable'),
  tool('pure'),
);

export const leading = (options: HarnessOptions = {}): LaneHarness => {
  const lane = new LaneHarness(options);
  lane.catalogue = tools;
  lane.queues = { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools: new Set(tools.keys()) }] }) };
  return lane.seat();
};

export type Call = readonly [tool: string, args: { readonly [name: string]: Json }];

/** These calls, one after the other: `t1`, `t2`, … */
export const turns = (...calls: readonly Call[]): Plan =>
  planOf(
    ...calls.map(([name, args], at) => ({
      ...step(`t${at + 1}`, name),
      args: { ...args },
      ...(at === 0 ? {} : { after: [`t${at}`] }),
    })),
  );

/** The end of a run as it is told to people. */
export const endOf = (lane: LaneHarness, runId = 'run-1'): string | null => {
  const end = lane.events().findLast(({ event, subject }) => event.type === 'RunEnded' && subject === runId)?.event;
  return end?.type === 'RunEnded' ? `${end.data.reason}: ${end.data.detail}` : null;
};

export const answer = (lane: LaneHarness, choice: 'raise' | 'end' | 'retry' | 'yes'): LaneHarness => {
  const [open] = Object.values(lane.live().escalations);
  const data = { requestId: `answer ${open?.seq}`, runId: 'run-1', escalation: open?.seq ?? -1, choice };
  return lane.arrive(asked({ ...request('AnswerEscalation', data), time: new Date(lane.clock.now).toISOString() }));
};
