/** The words of this page, as the documents have them. */
export const words: readonly (readonly [string, string])[] = [
  ['run', 'a program that was accepted with its input, until it ends'],
  ['step', 'a piece of work that the program names'],
  ['attempt', 'a try at a step, numbered from 0'],
  ['effect', 'the change that a call of a tool makes in the world'],
  ['doubt', 'what a step is in when an attempt of it may have made its effect and no witness is left'],
  [
    'settle window',
    'the time in which a call that was lost may still land; nothing counts as absent before it is over',
  ],
  ['verdict', 'what was found out about a doubt: it happened, it did not, nobody knows'],
  ['lane', 'a part of the log with the runs that live on it; one coordinator owns it at a time'],
  ['epoch', 'the number of a coordinator’s term in a lane; the highest one counts'],
  ['session', 'the time in which a worker process may take work'],
];

export const statuses: readonly (readonly [string, string])[] = [
  ['running', 'it moves'],
  ['waiting', 'for a person, a key that another run has, or an executor'],
  ['recovering', 'a doubt holds it: no new effects until that is settled'],
  ['paused', 'somebody has paused it; nothing new starts'],
  ['cancelling', 'it was cancelled and is over by a deadline'],
  ['closing', 'it is over, and something of it is still in doubt: the report will be amended'],
  ['ended', 'it is over; the reason of its end stands in its place'],
];
