import { shorten } from '@holdfast/events';
import type { RefusalCode } from '@holdfast/contracts';
import type { Json, PlanProblem } from '@holdfast/programs';
import type { RunDraft } from './draft.js';

export type Refusal = {
  readonly code: RefusalCode;
  readonly message: string;
  readonly details?: readonly PlanProblem[] | { readonly [name: string]: Json };
};

export const refuse = (
  draft: RunDraft,
  request: { readonly data: { readonly requestId: string; readonly runId: string } },
  { code, message, details }: Refusal,
): void => {
  const { requestId, runId } = request.data;
  const named = details === undefined ? {} : { details: Array.isArray(details) ? details.slice(0, 50) : details };
  draft.replies.push({ requestId, runId, outcome: 'refused', code, message: shorten(message, 4_000), ...named });
};
