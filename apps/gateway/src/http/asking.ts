import { pathOf, routes, type AnswerView, type BulkAnswerView } from '@holdfast/api';
import type { Ids } from '@holdfast/service';
import type { Answer, Asking, BulkAnswer } from '@holdfast/sdk';
import { invalid } from './asked.js';
import { problemOf, viewOf } from './refusals.js';
import { Reply } from './reply.js';

/** What every request for a change says about itself. */
export type Asker = {
  readonly body: { readonly requestId?: string | undefined; readonly waitMs?: number | undefined };
  readonly key: string | null;
  readonly principal: string;
};

type Sent = { readonly requestId: string; readonly asking: Required<Omit<Asking, 'traceparent'>> };

/** Sends one request and answers for it: 200 with the coordinator's answer, 202 without, or its problem. */
export const askFor = async (
  ids: Ids,
  asker: Asker,
  runId: string,
  send: (asking: Required<Omit<Asking, 'traceparent'>>) => Promise<Answer>,
): Promise<Reply<AnswerView>> => {
  const { requestId, asking } = begun(ids, asker);
  const location = { location: placeOf(runId) };
  try {
    return new Reply(200, viewOf(await send(asking)), location);
  } catch (error) {
    const problem = problemOf(error, requestId);
    if (problem !== null) throw problem;
    return new Reply(202, { requestId, runId, outcome: 'pending' }, location);
  }
};

/** Where what the request is about can be seen. */
const placeOf = (home: string): string => {
  const tenant = /^tenant\/(.+)$/.exec(home)?.[1];
  return tenant === undefined ? pathOf(routes.getRun, { runId: home }) : pathOf(routes.getTenantBudget, { tenant });
};

/** The same for what is asked of all lanes at once. */
export const askAll = async (
  ids: Ids,
  asker: Asker,
  send: (asking: Required<Omit<Asking, 'traceparent'>>) => Promise<BulkAnswer>,
): Promise<Reply<BulkAnswerView>> => {
  const { requestId, asking } = begun(ids, asker);
  try {
    const { answers } = await send(asking);
    const status = answers.some(({ outcome }) => outcome === 'pending') ? 202 : 200;
    return new Reply(status, { requestId, answers: answers.map(viewOf) });
  } catch (error) {
    throw problemOf(error, requestId) ?? error;
  }
};

const begun = (ids: Ids, { body, key, principal }: Asker): Sent => {
  const requestId = body.requestId ?? key ?? ids.next();
  if (key !== null && key !== requestId) {
    throw invalid([{ at: 'header.idempotency-key', message: `is not the requestId of the body, ${requestId}` }]);
  }
  if (requestId.length > 180) {
    throw invalid([{ at: 'header.idempotency-key', message: 'must hold at most 180 characters' }]);
  }
  return { requestId, asking: { requestId, principal, answerWithinMs: body.waitMs ?? 0 } };
};

/** The rest of a body, without what is about the request itself and what was not given. */
export const said = <B extends Asker['body']>(body: B): Omit<B, 'requestId' | 'waitMs'> => {
  const { requestId: _id, waitMs: _wait, ...rest } = body;
  return rest;
};
