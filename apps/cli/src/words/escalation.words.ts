import { place, tail, time, type WordsFor } from './phrases.js';

export const escalationWords: WordsFor<'EscalationOpened' | 'EscalationAnswered' | 'EscalationExpired'> = {
  EscalationOpened: (data) =>
    `A person is asked about ${place(data)}: ${data.question} Choices: ${data.choices.join(', ')}; until ${time(data.expiresAt)}.`,
  EscalationAnswered: (data) =>
    `${data.principal ?? 'Somebody'} answered ${data.choice} about ${place(data)}${tail(data.note)}.`,
  EscalationExpired: (data) => `Nobody answered the question about ${place(data)} in time.`,
};
