import type { SentAgain } from '@holdfast/api';
import { ledgerOf, explainRun, transcriptOf } from '@holdfast/explain';
import { DEFAULTS } from '@holdfast/events';
import { readDeadLetters, sendAgain, systemClock, type Client, type LetterRead } from '@holdfast/sdk';
import { EXIT, Problem, runNotFound } from '../problem.js';
import { detailOf } from './detail.js';
import { executorViews, fleetInLog } from './fleet-in-log.js';
import { unread, type InLog } from './in-log.js';
import { lanesInLog } from './lanes-in-log.js';
import { letterId, letterNotFound, letterView } from './letters.js';
import { inboxInLog, runsInLog } from './runs-in-log.js';
import type { Views } from './views.js';

/** Who was not heard of for so long is taken for gone. */
export const SILENCE_MS = DEFAULTS.leaseMs + DEFAULTS.skewMs;

/** A coordinator that lives answers much sooner. */
const ANSWER_MS = 2_000;

/** What the log itself shows, read from its beginning: right, and slower the longer it is. */
export const logViews = (place: InLog, client: Client, principal: string): Views => {
  const history = async (runId: string) => {
    const known = await client.readRun(runId);
    if (known.records.length === 0) throw runNotFound(runId, place.namespace);
    return known;
  };
  return {
    runs: (filter) => runsInLog(place, filter),
    run: async (runId) => detailOf(await history(runId)),
    explain: async (runId) => explainRun((await history(runId)).records, place.now()),
    ledger: async (runId) => ledgerOf((await history(runId)).records),
    transcript: async (runId) => transcriptOf((await history(runId)).records),
    inbox: () => inboxInLog(place),
    executors: async () => executorViews(await fleetInLog(place), place.now(), SILENCE_MS),
    lanes: () => lanesInLog(place),
    ...letterViews(place, client, principal),
  };
};

const letterViews = (
  place: InLog,
  client: Client,
  principal: string,
): Pick<Views, 'deadLetters' | 'deadLetter' | 'sendAgain'> => ({
  deadLetters: async (topic, limit) => {
    const lanes = Array.from({ length: await place.lanes() }, (_, lane) => lane);
    const all = (await Promise.all(lanes.map((lane) => lettersOf(place, lane)))).flat();
    const found = all.filter((letter) => topic === null || letter.topic === topic).toSorted((a, b) => b.at - a.at);
    return found.slice(0, limit).map((letter) => letterView(letter, false));
  },
  deadLetter: async (at) => {
    const known = at.partition < (await place.lanes()) ? await lettersOf(place, at.partition) : [];
    const letter = known.find((one) => one.place.offset === at.offset);
    if (letter === undefined) throw letterNotFound(at);
    return letterView(letter, true);
  },
  sendAgain: async (at) => {
    const { log, topics } = place;
    if (at.partition >= (await place.lanes())) throw letterNotFound(at);
    const ports = { log, topics, client, clock: systemClock };
    const sent = await sendAgain(ports, at, principal, ANSWER_MS).catch((error: unknown) => {
      throw unread(error, topics.deadLetters);
    });
    if (sent.outcome === 'sent') {
      const { topic, partition, offset, answer } = sent;
      const now = (await lettersOf(place, at.partition)).find((one) => one.place.offset === at.offset);
      return {
        id: letterId(at),
        topic,
        partition,
        offset,
        sentAgain: now?.sentAgain ?? 1,
        sentAgainBy: principal,
        answer: answer as SentAgain['answer'],
      };
    }
    if (sent.code === 'unknown_letter') throw letterNotFound(at);
    throw new Problem(EXIT.usage, `dead letter ${letterId(at)} is not sent again: ${sent.message}`, '');
  },
});

const lettersOf = async ({ log, topics }: InLog, partition: number): Promise<readonly LetterRead[]> => {
  try {
    return await readDeadLetters({ log, topics }, partition);
  } catch (error) {
    throw unread(error, topics.deadLetters);
  }
};
