import type { QuestionView } from '@holdfast/api';

export type ApprovedCall = {
  readonly tool: string;
  readonly args: unknown;
  readonly argsHash: string;
  readonly toolHash: string;
};

type Bag = Readonly<Record<string, unknown>>;
const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null ? (value as Bag) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The very call that is asked about; null where the question is about none. */
export const approvedCall = ({
  approves,
  context,
}: Pick<QuestionView, 'approves' | 'context'>): ApprovedCall | null => {
  if (approves === null) return null;
  const call = bag(approves);
  const args = 'args' in call ? call['args'] : bag(context)['args'];
  return { tool: text(call['tool']), args, argsHash: text(call['argsHash']), toolHash: text(call['toolHash']) };
};
