import type { AttemptView, StepView } from '@holdfast/api';

const BEGAN_MS = 240_000;
const failed = new Set([40, 411, 1_207, 3_333]);
const doubtful = new Set([1_220, 1_224, 1_226]);

const stepName = (index: number): string => `document[${Math.floor(index / 2)}].${index % 2 === 0 ? 'read' : 'file'}`;
const toolOf = (index: number): string => (index % 2 === 0 ? 'read-document@1' : 'file-document@1');
const policyOf = (index: number): string => (index % 2 === 0 ? 'repeatable' : 'verifiable');
const statusOf = (index: number, count: number): StepView['status'] => {
  if (doubtful.has(index)) return 'doubtful';
  if (failed.has(index)) return 'failed';
  return index >= count - 32 ? 'open' : 'succeeded';
};
const scheduledOf = (index: number, now: number, count: number): number =>
  now - BEGAN_MS + Math.floor((index / count) * (BEGAN_MS - 4_000));
const tookOf = (index: number): number => 180 + ((index * 7_919) % 1_300);

export const steps = (now: number, count: number): readonly StepView[] =>
  Array.from({ length: count }, (_, index) => {
    const status = statusOf(index, count);
    const scheduledAt = scheduledOf(index, now, count);
    const over = status === 'succeeded' || status === 'failed';
    return {
      stepId: stepName(index),
      tool: toolOf(index),
      policy: policyOf(index),
      status,
      attempts: status === 'failed' ? 3 : 1,
      tries: status === 'failed' ? 3 : 0,
      scheduledAt,
      endedAt: over ? scheduledAt + tookOf(index) : null,
      failure: status === 'failed' ? { code: 'refused', message: 'the office has refused the document' } : null,
    };
  });

/** A step as it is when it is asked for alone. */
export const wholeStep = (step: StepView): StepView => ({
  ...step,
  args: { document: { number: 17, title: 'Deed of 1874', pages: 3 }, folder: 'archive/1874' },
  ...(step.status === 'succeeded' ? { result: { receipt: 'R-000017', filedAt: '2026-11-30T05:00:00Z' } } : {}),
});

export const attempts = (now: number, count: number): readonly AttemptView[] =>
  Array.from({ length: count }, (_, index) => {
    const status = statusOf(index, count);
    const scheduledAt = scheduledOf(index, now, count);
    const over = status === 'succeeded' || status === 'failed';
    return {
      stepId: stepName(index),
      attempt: 0,
      tool: toolOf(index),
      policy: policyOf(index),
      status: status === 'open' ? 'held' : (status as AttemptView['status']),
      settling: false,
      queue: 'default',
      partition: index % 4,
      session: `executor-${(index % 3) + 1}/worker-${index < 1_230 ? 1 : 2}`,
      effect:
        index % 2 === 0
          ? null
          : status === 'doubtful'
            ? 'in_doubt'
            : status === 'failed'
              ? 'absent'
              : over
                ? 'applied'
                : null,
      scheduledAt,
      heldAt: scheduledAt + 4 + (index % 30),
      endedAt: over ? scheduledAt + tookOf(index) : null,
    };
  });
