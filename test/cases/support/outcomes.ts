import type { RunEventData } from '@holdfast/events';
import type { Member } from '../../e2e/support/member.js';
import type { History } from '../../e2e/support/runs.js';
import type { World } from '../../e2e/support/world.js';
import type { Onlooker } from './onlooker.js';

export type Outcome = { readonly end: RunEventData<'RunEnded'>; readonly history: History };

/**
 * Waits for the end of a run and asserts what holds in every case: it was accepted once and ended once, its history has
 * no gap and no repeat, nothing was begun while a doubt held it, and an end that is no success says why.
 */
export const soundEnd = async (onlooker: Onlooker, runId: string): Promise<Outcome> => {
  const end = await onlooker.ended(runId);
  const history = onlooker.history(runId);
  expect(history.all('RunAccepted')).toHaveLength(1);
  expect(history.all('RunEnded')).toHaveLength(1);
  const numbers = history.records.map(({ lane }) => lane.seq);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(history.scheduledWhileHeld()).toEqual([]);
  if (end.reason !== 'succeeded') expect(end.detail).not.toBe('');
  return { end, history };
};

/** The run has succeeded; every effect that is named was made exactly once. */
export const succeededWithEachOnce = async (
  onlooker: Onlooker,
  runId: string,
  stepIds: readonly string[],
): Promise<Outcome> => {
  const outcome = await soundEnd(onlooker, runId);
  expect(outcome.end).toMatchObject({ reason: 'succeeded', report: { inDoubt: [], running: [], conflicts: [] } });
  const counted = timesOf(onlooker.world, runId, stepIds);
  expect(counted).toEqual(stepIds.map((id) => ({ name: `${runId}/${id}`, times: 1 })));
  return outcome;
};

/** How often each effect was made. */
export const timesOf = (world: World, runId: string, stepIds: readonly string[]) =>
  stepIds.map((id) => ({ name: `${runId}/${id}`, times: world.ledger.entries(`${runId}/${id}`).length }));

/** The key of each call that was made under a name. */
export const keysOf = async ({ ledger }: World, name: string): Promise<readonly string[]> =>
  (await ledger.calls(name)).map(({ key }) => key);

/** Doubts of these runs about calls whose worker was gone: what a kill has met. */
export const deathsOf = (onlooker: Onlooker, ids: readonly string[]): readonly string[] =>
  ids.flatMap((runId) =>
    onlooker
      .history(runId)
      .all('DoubtOpened')
      .flatMap(({ data }) => (data.death ? [`${runId}/${data.stepId}`] : [])),
  );

/** Partitions of the queue that an executor serves. */
export const served = async (member: Member): Promise<readonly number[]> => {
  const data = (await member.dataOf('worker')) as { partitions: { default?: readonly number[] } } | null;
  return data?.partitions.default ?? [];
};

/** Why a request was refused; `accepted` if it was not. */
export const refusalOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'accepted',
    (error: unknown) => (error as { reply?: { code?: string } }).reply?.code ?? String(error),
  );
