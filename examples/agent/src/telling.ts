import type { HistoryRecord } from '@holdfast/events';
import pc from 'picocolors';

/** A line about a fact, for whoever looks on; null where there is nothing to say. */
export const tell = ({ event }: HistoryRecord): string | null => {
  switch (event.type) {
    case 'RunAccepted':
      return `The run ${event.data.runId} has begun.`;
    case 'TurnTaken':
      return turn(event.data);
    case 'EscalationOpened':
      return pc.yellow(`A person is asked: ${event.data.question}`);
    case 'EscalationAnswered':
      return pc.yellow(`The person says: ${event.data.choice}`);
    case 'DoubtOpened':
      return pc.red(`The worker is gone. ${event.data.stepId} may have acted, and nobody is left who would say.`);
    case 'DoubtSettled':
      return pc.green(`${event.data.stepId}: ${event.data.verdict} (${event.data.evidence.summary})`);
    case 'RunEnded':
      return `The run ended: ${event.data.reason}. ${event.data.detail}`;
    default:
      return null;
  }
};

type Turn = Extract<HistoryRecord['event'], { type: 'TurnTaken' }>['data'];

const turn = ({ turn: number, did, calls = [], answer, problem }: Turn): string => {
  const made = calls.flatMap((call) => ('step' in call ? [call.step] : []));
  if (did === 'called') return `Turn ${number + 1}: the model calls ${made.join(', ')}.`;
  if (did === 'answered') return `Turn ${number + 1}: the model answers ${JSON.stringify(answer ?? null)}.`;
  return `Turn ${number + 1}: ${problem?.message ?? did}`;
};
