import type { Escalation } from '@holdfast/events';

type Asked = Pick<Escalation, 'seq' | 'choices'> & { readonly kind: string; readonly schema: unknown };

/** The command that answers a question. */
export const answerWith = (runId: string, { seq, kind, schema, choices }: Asked): string => {
  const choice = `--choice ${choices.join('|')}${kind === 'budget' ? ' (raise with --budget KEY=VALUE)' : ''}`;
  return `holdfast answer ${runId} --question ${seq} ${schema === null ? choice : '--value JSON'}`;
};

/** What it means when nobody answers. */
export const silenceWords = ({ onSilence }: Pick<Escalation, 'onSilence'>): string => {
  if (typeof onSilence === 'object') return `${JSON.stringify(onSilence.answer)} is taken as the answer`;
  return onSilence === 'fail' ? 'the step fails' : 'the run ends';
};
