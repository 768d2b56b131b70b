import { addAmounts, amountWords, isNone, type Amounts, type LiveRun } from '@holdfast/events';
import { amountsWords, count, limitsWords, moment, span } from '@holdfast/words';
import type { Setting } from './setting.js';
import type { Told } from './told.js';

/** What a run has used, how long it took, and what is left. */
export const cost = (told: Told, setting: Setting): readonly string[] => [
  `${count(told.ledger.length, 'call')} ordered. ${used(told)}`,
  duration(told, setting),
  ...bounds(told, setting),
];

const used = ({ live, end, spent }: Told): string => {
  const words = wordsFor(spent);
  if (words === '') return 'Nothing is on its books.';
  const reserved = end === null ? wordsFor(reservedIn(live)) : '';
  return `Used: ${words}${reserved === '' ? '' : `; of that reserved for what is under way: ${reserved}`}.`;
};

const wordsFor = (amounts: Amounts): string =>
  Object.entries(amounts)
    .flatMap(([kind, amount]) => (isNone(kind, amount) ? [] : [amountWords(kind, amount)]))
    .join(', ');

const reservedIn = ({ steps, children }: LiveRun): Amounts =>
  [
    ...steps.flatMap(({ attempts }) => attempts.map(({ reservation }) => reservation)),
    ...children.map(({ reserved }) => reserved),
  ].reduce<Amounts>(addAmounts, {});

const duration = ({ accepted, end }: Told, { now }: Setting): string =>
  end === null
    ? `It was accepted ${moment(accepted.acceptedAt, now)}.`
    : `It took ${span(end.endedAt - accepted.acceptedAt)}.`;

const bounds = ({ live, end }: Told, { now }: Setting): readonly string[] => {
  if (end !== null) return [];
  const limits = limitsWords(live);
  const { grant } = live.budget;
  return [
    `It ends by ${moment(live.deadlineAt, now)} at the latest.`,
    limits.length === 0 ? 'Nobody has set a limit of its own for it.' : `Limits: ${limits.join(', ')}.`,
    ...(grant?.total == null ? [] : [`Granted by its tenant ${grant.tenant}: ${amountsWords(grant.total)} in all.`]),
  ];
};
