import { unreachable } from '@holdfast/events';
import { boundText, omittedOf } from '@holdfast/sdk';
import type { JournalEntry } from '../session/session.messages.js';

/** Bytes of a text in a small word. */
const TEXT_BYTES = 256;

/**
 * The same word as small as it can be said, for a log that takes no larger one: a result is named by its size and hash,
 * texts are cut. Null for what only informs.
 */
export const smallWord = (entry: JournalEntry): JournalEntry | null => {
  switch (entry.type) {
    case 'AttemptProgressed':
      return null;
    case 'AttemptStarted':
      return entry;
    case 'AttemptSucceeded': {
      const { result, ...rest } = entry.data;
      return { ...entry, data: { omitted: omittedOf(JSON.stringify(result ?? null)), ...rest } };
    }
    case 'AttemptFailed':
      return { ...entry, data: { ...entry.data, failure: small(entry.data.failure) } };
    case 'AttemptUnknown':
      return { ...entry, data: { ...entry.data, failure: small(entry.data.failure) } };
    case 'AttemptRefused':
    case 'AttemptSkipped':
    case 'AttemptAborted':
      return { ...entry, data: { ...entry.data, reason: boundText(entry.data.reason, TEXT_BYTES) } } as JournalEntry;
    default:
      return unreachable(entry);
  }
};

type Failure = Extract<JournalEntry, { type: 'AttemptFailed' }>['data']['failure'];

const small = ({ code, message }: Failure): Failure => ({
  code: boundText(code, TEXT_BYTES),
  message: boundText(`(cut to what the journal takes) ${message}`, TEXT_BYTES),
});
