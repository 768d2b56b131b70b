import { ClientError, ForkRefused, RequestRefused } from '@holdfast/sdk';

/** How a command ends; documented in the help. */
export const EXIT = { ok: 0, notSucceeded: 1, usage: 2, unreachable: 3, notFound: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why a command cannot go on: what happened and where, what to do about it, and how the process exits. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly exit: ExitCode,
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

/** Nothing is known of a run. */
export const runNotFound = (runId: string, namespace: string): Problem =>
  new Problem(EXIT.notFound, `there is no run ${runId} in namespace ${namespace}`, 'Check the run id and --namespace.');

/** Anything that was thrown, as a problem to show. */
export const asProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof RequestRefused) return refused(error);
  if (error instanceof ForkRefused) return new Problem(EXIT.usage, error.message, SEE_FORK);
  if (error instanceof ClientError) return new Problem(exitOf(error), error.message, adviceOf(error));
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(EXIT.notSucceeded, message, '');
};

const SEE_FORK = 'See it with --plan; steps whose effects may be made again are named with --repeat.';

const refused = ({ message, reply }: RequestRefused): Problem => {
  const unknown = reply.code === 'unknown_run' || reply.code === 'unknown_escalation';
  const details = reply.details === undefined ? '' : `\n${detailLines(reply.details)}`;
  return new Problem(
    unknown ? EXIT.notFound : EXIT.usage,
    `${message}${details}`,
    REFUSAL_ADVICE[reply.code ?? ''] ?? '',
  );
};

/** Problems of a program come as a list, each with its place; anything else is shown as it is. */
const detailLines = (details: unknown): string =>
  (Array.isArray(details) ? details : [details]).map((entry) => `  - ${detailText(entry)}`).join('\n');

const detailText = (entry: unknown): string => {
  if (typeof entry === 'string') return entry;
  const { at, message } = (entry ?? {}) as Record<string, unknown>;
  if (typeof message !== 'string') return JSON.stringify(entry);
  return typeof at === 'string' && at !== '' ? `${at}: ${message}` : message;
};

const REFUSAL_ADVICE: Readonly<Record<string, string>> = {
  run_id_taken: 'Another run has this id: choose another --run.',
  unknown_run: 'Check the run id and --namespace.',
  run_ended: 'Nothing can be changed about it any more; see it with holdfast replay.',
  unknown_escalation: 'See what is asked with holdfast questions.',
  choice_not_offered: 'See what may be answered with holdfast questions.',
  already_answered: 'The first answer counts; see it with holdfast replay.',
  expired: 'See what became of the run with holdfast watch.',
  no_longer_asked: 'See what is asked with holdfast questions.',
  answer_wrong: 'See what the answer must be with holdfast questions.',
  edit_not_offered: 'Reject the call, and submit what should be done instead.',
  too_early: 'Look again after that time: before it the effect may still land.',
};

const exitOf = ({ code }: ClientError): ExitCode => {
  if (code === 'unknown_run') return EXIT.notFound;
  if (code === 'invalid_request' || code === 'too_large' || code === 'refused') return EXIT.usage;
  return code === 'unsound_history' ? EXIT.notSucceeded : EXIT.unreachable;
};

const adviceOf = ({ code }: ClientError): string => {
  if (code === 'unsound_history') return 'Keep the topic as it is and look at that record.';
  return code === 'unreachable' ? 'Check --brokers and --namespace, and that the brokers are well.' : '';
};
