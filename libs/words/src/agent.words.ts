import type { RunEventData } from '@holdfast/events';
import { count, some, type WordsFor } from './phrases.js';

export const agentWords: WordsFor<'TurnTaken'> = {
  TurnTaken: (data) => `${data.stepId}, turn ${data.turn + 1}: ${turn(data)}`,
};

const turn = (data: RunEventData<'TurnTaken'>): string => {
  const { did, answer, problem } = data;
  switch (did) {
    case 'called':
      return called(data.calls ?? []);
    case 'answered':
      return answer === undefined
        ? 'the model answered while calls of it were in doubt; it is told what was found, and asked again.'
        : 'the model answered.';
    case 'repaired':
      return `the model is told: ${problem?.message ?? ''}`;
    case 'failed':
      return `THE AGENT HAS FAILED: ${problem?.message ?? ''} (${problem?.code ?? ''}).`;
  }
};

type Calls = NonNullable<RunEventData<'TurnTaken'>['calls']>;

const called = (calls: Calls): string => {
  const steps = calls.flatMap((call) => ('step' in call ? [call.step] : []));
  const refused = calls.flatMap((call) => ('refused' in call ? [call.refused.replaceAll('_', ' ')] : []));
  const made = steps.length === 0 ? 'no call is made' : `the model calls ${some(steps)}`;
  return refused.length === 0
    ? `${made}.`
    : `${made}; ${count(refused.length, 'call')} answered with an error: ${some(refused)}.`;
};
