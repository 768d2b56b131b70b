import { decode, journalKind, verdictKind } from '@holdfast/contracts';
import type { LogRecord } from '@holdfast/log';

/** A journal record or a verdict in words. */
export const wordsOf = (record: LogRecord): string => {
  const word = decode(journalKind, record.value);
  if (word.ok) return `journal: ${word.message.type} ${word.message.data.attemptId} by ${word.message.data.session}`;
  const found = decode(verdictKind, record.value);
  if (!found.ok) return `a record that cannot be read`;
  const { attemptId, doubtSeq, verdict, askedAt } = found.message.data;
  return `verdict: ${attemptId} (doubt ${doubtSeq}) ${verdict}, asked at ${askedAt}`;
};
