import { endReasons, type EndReason } from '@holdfast/events';
import { statuses, type Status } from '@holdfast/explain';
import type { RunSummary } from '@holdfast/api';
import { reasonWords, span } from '@holdfast/words';
import { InvalidArgumentError } from 'commander';
import ms from 'ms';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';

export type RunsArguments = {
  readonly status?: readonly Status[];
  readonly reason?: readonly EndReason[];
  readonly label?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly since?: number;
  readonly limit: number;
};

export const RUNS_LIMIT = 50;
const RUNS_MAX = 100_000;

/** Lists runs, the latest first. */
export const runs = async ({ views, output }: Session, _: string, options: RunsArguments): Promise<ExitCode> => {
  const { status = [], reason = [], label: labels = {}, text = null, since = null, limit } = options;
  const { items, more } = await (await views()).runs({ status, reason, labels, text, since, limit });
  for (const run of items) output.data({ kind: 'run', ...run });
  const now = Date.now();
  if (items.length > 0)
    output.say(
      columns(
        HEAD,
        items.map((run) => line(run, now)),
      ),
    );
  else output.say('There are no such runs.');
  if (more)
    output.note(`There are more than ${limit}; see more with --limit, or fewer with --status, --label, --text.`);
  return EXIT.ok;
};

const HEAD = ['run', 'status', 'accepted', 'steps', 'effects', 'doubts', 'asked', 'waits'] as const;

const line = (run: RunSummary, now: number): readonly string[] => {
  const { stepsSucceeded, stepsFailed, stepsOpen } = run;
  return [
    run.runId,
    run.reason === null ? run.status : `${run.status}, ${reasonWords(run.reason)}`,
    `${span(Math.max(0, now - run.acceptedAt))} ago`,
    `${stepsSucceeded} done, ${stepsOpen} open${stepsFailed === 0 ? '' : `, ${stepsFailed} failed`}`,
    ...[run.effectsApplied, run.doubtsOpen, run.questionsOpen].map(String),
    run.waitingFor ?? '',
  ];
};

/** One of some words, gathered over repeats of an option, commas between allowed. */
const oneOf =
  <T extends string>(known: readonly T[]) =>
  (text: string, before: readonly T[] = []): readonly T[] => [
    ...before,
    ...text.split(',').map((part) => {
      const found = known.find((word) => word === part.trim());
      if (found === undefined) throw new InvalidArgumentError(`give one of ${known.join(', ')}`);
      return found;
    }),
  ];
export const statusOption = oneOf(statuses);
export const reasonOption = oneOf(endReasons);

/** A moment: a date and time, or how long ago, such as `2h`. */
export const sinceOption = (text: string): number => {
  const ago = /^\d+(\.\d+)?\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
  const at = ago === undefined ? Date.parse(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : '') : Date.now() - ago;
  if (Number.isNaN(at)) throw new InvalidArgumentError('give a time such as 2026-11-30T12:00:00Z, or how long ago: 2h');
  return at;
};

export const limitOption = (text: string): number => {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > RUNS_MAX) throw new InvalidArgumentError(`give a whole number from 1 to ${RUNS_MAX}`);
  return value;
};
