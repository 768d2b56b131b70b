import { FORK_NAMED_MAX, type AnswerView } from '@holdfast/api';
import type { RefusalCode } from '@holdfast/contracts';
import { LogUnavailable } from '@holdfast/log';
import { ClientError, ForkRefused, NoAnswer, RequestRefused, type Answer } from '@holdfast/sdk';
import { ProblemError, unavailable } from './problems.js';

/** What each refusal of a coordinator is in HTTP: not there, does not fit what is there, or wrong in itself. */
const statuses: Readonly<Record<RefusalCode, 404 | 409 | 422 | 500>> = {
  unknown_run: 404,
  unknown_escalation: 404,
  run_id_taken: 409,
  run_ended: 409,
  run_cancelling: 409,
  too_early: 409,
  too_old: 409,
  already_answered: 409,
  expired: 409,
  no_longer_asked: 409,
  obsolete: 409,
  too_many: 409,
  too_many_tenants: 409,
  invalid_request: 422,
  invalid_program: 422,
  too_large: 422,
  choice_not_offered: 422,
  answer_wrong: 422,
  edit_not_offered: 422,
  wrong_lane: 500,
  undecidable: 500,
};

type Said = Omit<Answer, 'outcome' | 'lane' | 'seq'> & Pick<AnswerView, 'outcome'>;

/** A coordinator's answer as clients see it. */
export const viewOf = ({ requestId, runId, outcome, code, message, details }: Said): AnswerView => ({
  requestId,
  runId,
  outcome,
  ...(code === undefined ? {} : { code }),
  ...(message === undefined ? {} : { message }),
  ...(details === undefined ? {} : { details }),
});

/** What kept a request from being done, as a problem; null for a request that is in the log and was not answered. */
export const problemOf = (error: unknown, requestId: string): ProblemError | null => {
  if (error instanceof RequestRefused) return refused(error.reply);
  if (error instanceof ForkRefused) return forkRefused(error, requestId);
  if (error instanceof NoAnswer) return error.landed ? null : notLanded(error, requestId);
  if (error instanceof LogUnavailable)
    return unavailable('log_unavailable', error.message, { advice: AGAIN, requestId });
  if (!(error instanceof ClientError)) throw error;
  const said = { code: error.code, detail: error.message, requestId };
  if (error.code === 'unknown_run') return new ProblemError(404, said);
  if (error.code === 'invalid_request') return new ProblemError(422, said);
  if (error.code === 'too_large') return new ProblemError(413, said);
  if (error.code === 'unsound_history') return new ProblemError(500, said);
  return unavailable('log_unavailable', error.message, { advice: AGAIN, requestId });
};

const refused = ({ requestId, code = 'refused', message, details }: Answer): ProblemError =>
  new ProblemError(Object.hasOwn(statuses, code) ? statuses[code as RefusalCode] : 409, {
    code,
    detail: message ?? `The request was refused: ${code}.`,
    requestId,
    ...(details === undefined ? {} : { details }),
  });

const forkRefused = ({ message, plan }: ForkRefused, requestId: string): ProblemError => {
  const { kept, again, progress: _, ...rest } = plan;
  const asks = again.filter(({ repeat }) => repeat === 'ask');
  const details = { ...rest, keptTotal: kept.length, asks: asks.slice(0, FORK_NAMED_MAX), asksTotal: asks.length };
  return new ProblemError(409, { code: 'fork_refused', detail: message, requestId, details });
};

const notLanded = ({ message }: NoAnswer, requestId: string): ProblemError =>
  unavailable('not_acknowledged', `The log did not acknowledge the request: ${message}`, { advice: AGAIN, requestId });

const AGAIN = 'Ask again with the same request id: it is done once at most.';
