import { isDeepStrictEqual } from 'node:util';
import {
  argsOf,
  begin,
  failed,
  opened,
  outcome,
  ready,
  succeeded,
  type Json,
  type Plan,
  type PlanNode,
  type PlanStep,
  type Progress,
} from '@holdfast/programs';
import { frozen } from './frozen.js';

type Happening = (plan: Plan, input: Json, progress: Progress) => Progress;

export const starts =
  (stepId: string): Happening =>
  (plan, input, progress) =>
    opened(plan, input, progress, stepId);
export const ends =
  (stepId: string, result: Json = null): Happening =>
  (plan, input, progress) =>
    succeeded(plan, input, opened(plan, input, progress, stepId), stepId, result);
export const fails =
  (stepId: string): Happening =>
  (plan, input, progress) =>
    failed(plan, input, progress, stepId);

/** given(plan, input).when(…).then…: everything handed over is frozen, and progress goes through JSON on the way. */
export const given = (plan: Plan, input: Json = {}) => {
  frozen([plan, input]);
  const told = (progress: Progress) => ({
    progress,
    when: (...happenings: Happening[]) =>
      told(
        happenings.reduce((before, happens) => {
          const after = happens(plan, input, frozen(before));
          expect(isDeepStrictEqual(JSON.parse(JSON.stringify(after)), after)).toBe(true);
          return after;
        }, progress),
      ),
    thenReady: (...stepIds: string[]) =>
      expect(ready(plan, input, frozen(progress), 1_000).map(({ stepId }) => stepId)).toStrictEqual(stepIds),
    thenReadySteps: (...steps: Json[]) => expect(ready(plan, input, progress, 1_000)).toStrictEqual(steps),
    thenArgs: (stepId: string, args: Json) => expect(argsOf(plan, input, progress, stepId)).toStrictEqual({ args }),
    thenOutcome: (expected: Json) => expect(outcome(plan, input, progress)).toMatchObject(expected as object),
    thenNodes: (nodes: Json) => expect(progress.nodes).toStrictEqual(nodes),
  });
  return told(begin(plan, input));
};

export const step = (id: string, rest: Partial<PlanStep> = {}): PlanStep => ({ id, tool: 'work@1', ...rest });
export const plan = (steps: readonly PlanNode[], rest: Partial<Plan> = {}): Plan => ({
  kind: 'plan',
  steps: [...steps],
  ...rest,
});
export const from = ($from: string): Json => ({ $from });
