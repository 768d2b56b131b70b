import { hasEffect } from '@holdfast/events';
import { count, describeEvent, place, some } from '@holdfast/words';
import type { Fate, LedgerEntry } from './ledger.js';
import type { Told } from './told.js';

/** What a run did to the world, as far as its history says. */
export const effects = (told: Told): readonly string[] => {
  const ledger = told.ledger.filter(({ policy }) => hasEffect(policy));
  const of = (...fates: readonly Fate[]) => ledger.filter(({ fate }) => fates.includes(fate));
  const lines = [
    ...applied(of('applied')),
    ...named(of('in_doubt'), 'IN DOUBT, may have acted'),
    ...of('conflict').map(({ evidence }) => evidence),
    ...underWay(of('under_way')),
    ...named(of('absent'), 'Known not to have acted (closed, skipped, failed without effect or found absent)'),
    ...undone(told),
    ...begun(told),
    ...tookOver(told),
    ...amendments(told),
  ];
  return lines.length === 0 ? ['Nothing: it has made no call that changes anything outside.'] : lines;
};

const applied = (entries: readonly LedgerEntry[]): readonly string[] => {
  if (entries.length === 0) return [];
  const tools = [...countedBy(entries, ({ tool, policy }) => `${tool} (${policy})`)];
  return [
    `${count(entries.length, 'effect')} applied: ${tools.map(([tool, times]) => `${times} of ${tool}`).join(', ')}.`,
  ];
};

export const countedBy = <T>(entries: readonly T[], by: (entry: T) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(by(entry), (counts.get(by(entry)) ?? 0) + 1);
  return counts;
};

const named = (entries: readonly LedgerEntry[], words: string): readonly string[] =>
  entries.length === 0 ? [] : [`${words}, ${count(entries.length, 'call')}: ${some(entries.map(place))}.`];

const underWay = (entries: readonly LedgerEntry[]): readonly string[] => {
  const words = entries.map(
    (entry) => `${place(entry)}${entry.session === null ? '' : ` with session ${entry.session}`}`,
  );
  return entries.length === 0
    ? []
    : [`Under way without a word yet, ${count(entries.length, 'call')}: ${some(words)}.`];
};

const undone = ({ undo: { started, ended } }: Told): readonly string[] => {
  if (ended !== null) return [describeEvent({ type: 'CompensationEnded', version: 1, data: ended })];
  return started === null ? [] : [describeEvent({ type: 'CompensationStarted', version: 1, data: started })];
};

/** What runs that it has begun did stands in their own histories. */
const begun = ({ children: { begun: all, ended } }: Told): readonly string[] => {
  if (all === 0) return [];
  const sum = (of: 'applied' | 'inDoubt') => ended.reduce((total, { totals }) => total + (totals?.[of] ?? 0), 0);
  const doubts = sum('inDoubt') === 0 ? '' : `, ${sum('inDoubt')} IN DOUBT`;
  const known =
    ended.length === 0 ? '' : `: ${count(sum('applied'), 'effect')} applied${doubts} by those that are over`;
  return [`It has begun ${count(all, 'run')}, ${ended.length} of them over${known}.`];
};

/** What it took over stands in the history of the run that it comes from. */
const tookOver = ({ accepted: { fork } }: Told): readonly string[] =>
  fork === undefined
    ? []
    : [`What it took over was done by run ${fork.runId}${fork.from === null ? '' : `, before ${fork.from}`}.`];

const amendments = ({ amended }: Told): readonly string[] => {
  const last = amended.slice(-5).map(({ stepId, change }) => `${stepId}: ${change}`);
  return amended.length === 0 ? [] : [`Found out after its end, ${amended.length} in all: ${last.join('; ')}.`];
};
