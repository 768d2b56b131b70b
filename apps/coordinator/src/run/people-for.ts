import type { LiveRun } from '@holdfast/events';
import { askingSchema } from '@holdfast/programs';

/** What a run may not do without a person's leave, a run that it begins may not do either; and the same people are asked. */
export const peopleFor = ({ approvals, asking }: LiveRun, program: unknown) => {
  const own = askingSchema.safeParse((program as { readonly escalations?: unknown } | null)?.escalations ?? {});
  const escalations = { ...asking, ...(own.success ? own.data : {}) };
  return {
    ...(approvals.length === 0 ? {} : { approvals }),
    ...(Object.keys(asking).length === 0 ? {} : { escalations }),
  };
};
