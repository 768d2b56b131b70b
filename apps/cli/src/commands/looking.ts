import type { RunDetail } from '@holdfast/api';
import { DEFAULTS, hasEffect } from '@holdfast/events';
import { explanationText, type LedgerEntry } from '@holdfast/explain';
import { describeReport, moment, reasonWords, some, span } from '@holdfast/words';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';

/** Prints one run: where it stands, its labels, what it has used, how it ended. */
export const get = async ({ views, output }: Session, runId: string): Promise<ExitCode> => {
  const run = await (await views()).run(runId);
  output.data({ kind: 'run', ...run });
  for (const [name, value] of fields(run, Date.now())) output.say(`${`${name}:`.padEnd(11)} ${value}`);
  output.say(`\nWhy it stands where it does: holdfast explain ${runId}`);
  return EXIT.ok;
};

const fields = (run: RunDetail, now: number): readonly (readonly [string, string])[] => [
  ['Run', `${run.runId} (lane ${run.lane}, seq ${run.seq})`],
  ['Status', `${run.status}${run.reason === null ? '' : `, ${reasonWords(run.reason)}`}${detail(run)}`],
  ...maybe('Waits', run.waitingFor),
  ['Accepted', `${moment(run.acceptedAt, now)}${run.principal === null ? '' : ` from ${run.principal}`}`],
  run.endedAt === null
    ? (['Deadline', moment(run.deadlineAt, now)] as const)
    : (['Ended', `${moment(run.endedAt, now)}, after ${span(run.endedAt - run.acceptedAt)}`] as const),
  ...maybe('Labels', pairs(run.labels)),
  ...maybe('Tenant', run.tenant),
  ...maybe('Begun by', run.parentRunId),
  ...maybe('Has begun', some(run.children)),
  ['Steps', `${run.stepsSucceeded} succeeded, ${run.stepsFailed} failed, ${run.stepsOpen} open`],
  ['Effects', run.report === null ? `${run.effectsApplied} applied` : describeReport(run.report)],
  ...maybe('Open', openWords(run)),
  ...maybe('Cancel', run.cancel && `by ${moment(run.cancel.deadlineAt, now)}, asked by ${run.cancel.by ?? 'somebody'}`),
  ...maybe('Paused', run.paused && `since ${moment(run.paused.since, now)} by ${run.paused.by ?? 'somebody'}`),
  ...maybe('Used', used(run)),
  ...maybe('Output', run.output === null ? '' : JSON.stringify(run.output)),
];

const maybe = (name: string, value: string | null): readonly (readonly [string, string])[] =>
  value === null || value === '' ? [] : [[name, value]];

const detail = ({ detail: words }: RunDetail): string => (words === null || words === '' ? '' : `: ${words}`);

const pairs = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const openWords = ({ doubtsOpen, questionsOpen }: RunDetail): string =>
  [
    ...(doubtsOpen === 0 ? [] : [`${doubtsOpen} in doubt`]),
    ...(questionsOpen === 0 ? [] : [`${questionsOpen} questions asked`]),
  ].join(', ');

const used = ({ budgets }: RunDetail): string =>
  budgets
    .filter(({ used: amount }) => amount !== '0')
    .map(({ kind, used: amount, limit }) => `${kind} ${amount}${isSet(kind, limit) ? ` of ${limit}` : ''}`)
    .join(', ');

const isSet = (kind: string, limit: string | null): boolean =>
  limit !== null && limit !== String((DEFAULTS.budget as Readonly<Record<string, unknown>>)[kind]);

/** Prints why a run does not move, what it did, what it cost, and what would follow from a cancel, a resume, a repeat. */
export const explain = async ({ views, output }: Session, runId: string): Promise<ExitCode> => {
  const explanation = await (await views()).explain(runId);
  output.data({ kind: 'explanation', ...explanation });
  const [headline = '', ...rest] = explanationText(explanation).split('\n');
  output.say(output.colors.bold(headline));
  for (const text of rest) output.say(text.startsWith(' ') ? text : output.colors.cyan(text));
  return EXIT.ok;
};

export type EffectsArguments = { readonly all?: boolean };

/** Prints the ledger of effects: each call, what became of it, and by what that is known. */
export const effects = async (
  { views, output }: Session,
  runId: string,
  { all = false }: EffectsArguments,
): Promise<ExitCode> => {
  const ledger = (await (await views()).ledger(runId)).filter(({ policy }) => all || hasEffect(policy));
  for (const entry of ledger) output.data({ kind: 'effect', runId, ...entry });
  if (ledger.length === 0) {
    output.say(`Run ${runId} has made no ${all ? 'call' : 'call that changes anything outside'}.`);
    return EXIT.ok;
  }
  output.say(columns(['step', 'attempt', 'tool', 'policy', 'fate', 'known by'], ledger.map(row)));
  return EXIT.ok;
};

const row = (entry: LedgerEntry): readonly string[] => [
  entry.stepId,
  String(entry.attempt),
  entry.tool,
  entry.policy,
  entry.fate.replaceAll('_', ' '),
  `#${entry.seq} ${entry.evidence}`,
];
