import type { RequestOf } from '@holdfast/contracts';
import type { ApprovalRule, Asking, Json } from '@holdfast/programs';
import { request } from './messages.js';

export type Submitted = Partial<Omit<RequestOf<'SubmitRun'>['data'], 'program' | 'approvals' | 'escalations'>> & {
  readonly input?: Json;
  readonly approvals?: readonly ApprovalRule[];
  readonly escalations?: Asking;
};

/** A submission of `run-1`, unless another id is told. */
export const submission = (program: unknown, more: Submitted = {}): RequestOf<'SubmitRun'> => {
  const { runId = 'run-1', requestId = `submit ${runId}`, input = {} } = more;
  return request('SubmitRun', { ...more, requestId, runId, program, input } as RequestOf<'SubmitRun'>['data']);
};

export type Decision = {
  readonly runId?: string;
  readonly requestId?: string;
  readonly principal?: string | null;
  readonly value?: Json;
  readonly note?: string;
  readonly proof?: Json;
  readonly result?: Json;
};

/** What a person says to a question by its number; `ann` unless another one is told. */
export const decision = (question: number, choice: string, about: Decision & { readonly requestId: string }) => {
  const { runId = 'run-1', principal = 'ann', requestId, value, note, proof, result } = about;
  const given = Object.entries({ value, note, proof, result }).filter(([, part]) => part !== undefined);
  const data = { requestId, runId, escalation: question, choice, ...Object.fromEntries(given) };
  return { ...request('AnswerEscalation', data), principal };
};
