import { hasEffect, type ReplayPolicy } from '@holdfast/events';
import { count } from '@holdfast/words';
import { countedBy } from './effects.js';
import type { LedgerEntry } from './ledger.js';
import type { Told } from './told.js';

/** What a new run of the same program would do again. */
export const repeating = (told: Told): readonly string[] => {
  const { ledger, accepted, children, live, end, undo } = told;
  const undone = undo.ended?.undone ?? 0;
  const tools = [...countedBy(ledger, ({ tool }) => tool).keys()];
  const lines = tools.flatMap((tool) => toolLines(ledger.filter((entry) => entry.tool === tool)));
  const acts = ledger.some(({ policy, fate }) => hasEffect(policy) && fate !== 'absent');
  return [
    ...(lines.length === 0 ? ['Nothing would be done a second time.'] : lines),
    ...(undone === 0 ? [] : [`${count(undone, 'effect')} undone since: made again, nothing of that is there twice.`]),
    ...(children.begun === 0 ? [] : [`${count(children.begun, 'run')} that it has begun would be begun anew, too.`]),
    ...(acts
      ? [
          `The keys of this run (${accepted.runKey}/…) do not protect a new one: its key is another, so tools take its calls for new ones.`,
        ]
      : []),
    `The same content under the same id, ${live.runId}, is this run: that repeats nothing.`,
    ...(end === null || end.reason === 'succeeded'
      ? []
      : [`To go on without repeating what is done: holdfast fork ${live.runId} --run NEW`]),
  ];
};

const toolLines = (entries: readonly LedgerEntry[]): readonly string[] => {
  const [first] = entries;
  if (first === undefined) return [];
  const steps = (...fates: readonly LedgerEntry['fate'][]) =>
    new Set(entries.filter(({ fate }) => fates.includes(fate)).map(({ stepId }) => stepId)).size;
  if (!hasEffect(first.policy))
    return [`${first.tool} (${first.policy}): ${count(entries.length, 'call')} again; ${means[first.policy]}.`];
  const [made, perhaps] = [steps('applied', 'conflict'), steps('in_doubt', 'under_way')];
  const parts = [
    ...(made === 0 ? [] : [`${count(made, 'effect')} a second time`]),
    ...(perhaps === 0 ? [] : [`${count(perhaps, 'effect')} perhaps a second time`]),
  ];
  return parts.length === 0 ? [] : [`${first.tool} (${first.policy}): ${parts.join(', ')}; ${means[first.policy]}.`];
};

const means: Readonly<Record<ReplayPolicy, string>> = {
  pure: 'nothing outside changes by it',
  repeatable: 'it costs again and harms nothing',
  keyed: 'the tool drops repeats of one key only, and a new run has other keys',
  verifiable: 'the tool is asked about calls of its own run only',
  unprotected: 'nothing keeps it from happening twice',
};
