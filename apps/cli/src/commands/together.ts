import { InvalidArgumentError, Option, type Command } from 'commander';
import { concurrencyKeySchema, conflictPolicies, type Concurrency } from '@holdfast/events';
import type { Submission } from '@holdfast/sdk';
import { EXIT, Problem } from '../problem.js';

/** What `submit` says about other runs. */
export type TogetherArguments = {
  readonly concurrencyKey?: string;
  readonly onConflict?: Concurrency['policy'];
  readonly generation?: number;
  readonly validUntil?: number;
  readonly compensate?: 'on-cancel';
};

/** The options of `submit` about other runs. */
export const addTogether = (submit: Command): Command =>
  submit
    .option('--concurrency-key <key>', 'of the runs with this key one is at work at a time', concurrencyKey)
    .addOption(
      new Option(
        '--on-conflict <policy>',
        'what this run does when another one has the key; queue unless told',
      ).choices(conflictPolicies),
    )
    .option('--generation <number>', 'of one key, lower ones than the highest seen are obsolete', generation)
    .option('--valid-until <time>', 'when it becomes obsolete, such as 2027-01-31T12:00:00Z', moment)
    .addOption(new Option('--compensate <when>', 'undo its effects, as far as tools say how').choices(['on-cancel']));

/** The same, as a submission has it. */
export const together = (
  options: TogetherArguments,
): Pick<Submission, 'concurrency' | 'generation' | 'validUntil' | 'compensate'> => {
  const { concurrencyKey: key, onConflict, generation: number, validUntil } = options;
  if (key === undefined && (onConflict !== undefined || number !== undefined)) {
    const problem = '--on-conflict and --generation say how runs of one key go together';
    throw new Problem(EXIT.usage, problem, 'Add --concurrency-key.');
  }
  return {
    ...(key === undefined ? {} : { concurrency: { key, policy: onConflict ?? 'queue' } }),
    ...(number === undefined ? {} : { generation: number }),
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(options.compensate === undefined ? {} : { compensate: 'on_cancel' }),
  };
};

const concurrencyKey = (text: string): string => {
  const checked = concurrencyKeySchema.safeParse(text);
  if (checked.success) return checked.data;
  throw new InvalidArgumentError(checked.error.issues.map(({ message }) => message).join('; '));
};

const generation = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('give a whole number');
  return Number(text);
};

const moment = (text: string): number => {
  const at = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('give a date and time, such as 2027-01-31T12:00:00Z');
  return at;
};
