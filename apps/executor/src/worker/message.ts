import { encode } from '@holdfast/contracts';
import type { Entry } from '@holdfast/log';
import type { ClaimData } from '../session/session.state.js';
import type { JournalEntry } from '../session/session.messages.js';

const SOURCE = 'holdfast/executor';

/** The record of a claim. A repeat must be made of the same entry: it says the same to the byte. */
export const claimEntry = (data: ClaimData, now: number): Entry => ({
  key: data.attemptId,
  value: encode({
    type: 'AttemptClaimed',
    version: 1,
    id: `${data.attemptId}/${data.session}`,
    source: SOURCE,
    subject: null,
    time: new Date(now).toISOString(),
    principal: null,
    data,
  }),
});

export const journalRecord = (entry: JournalEntry, now: number): Entry => ({
  key: entry.data.runId,
  value: encode({
    type: entry.type,
    version: 1,
    id: `${entry.data.attemptId}/${entry.data.session}/${entry.type}`,
    source: SOURCE,
    subject: entry.data.runId,
    time: new Date(now).toISOString(),
    principal: null,
    data: entry.data,
  }),
});
