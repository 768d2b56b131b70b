import type { Wait, WaitKind } from '@holdfast/events';
import { time } from './phrases.js';

const words: Readonly<Record<WaitKind, string>> = {
  resume: 'somebody to resume it',
  key: 'the key that it shares',
  child: 'a run that it has begun',
  undo: 'the run that undoes its effects',
  answer: 'the answer of a person',
  backoff: 'the pause before the next try to be over',
  claim: 'somebody to begin it',
  outcome: 'the word of whoever makes it',
  closing: 'the proof that nobody has begun it, or who has',
  settling: 'the moment from which nothing can land any more',
  verdict: 'the word of the tool on what it did',
  doubt: 'what is in doubt and holds the run',
  place: 'a place in its queue',
};

/** What a run waits for, in words. */
export const describeWait = ({ what, stepId, dueAt, detail }: Wait): string => {
  const where = stepId === null ? 'the run' : stepId;
  const until = dueAt === null ? '' : `, until ${time(dueAt)}`;
  return `${where} waits for ${what === 'place' || what === 'key' || what === 'child' || what === 'undo' ? (detail ?? words[what]) : words[what]}${until}`;
};
