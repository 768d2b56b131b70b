import { HttpError, ToolFailure, type ToolContext, type ToolQuestion, type ToolRequest } from '@holdfast/sdk';
import { readAnswer, type Answer } from '../answer/read-answer.js';
import type { Egress } from '../egress/egress.js';
import { fillRequest, type RequestPlan } from '../request/request.js';
import type { Scene } from '../template/reference.js';
import { CannotFill } from '../template/template.js';

export type Limits = { readonly requestBytes: number; readonly answerBytes: number };
export type Bounds = { readonly egress: Egress; readonly limits: Limits; readonly timeoutMs: number };

/** What was asked, for messages and evidence: never what it was asked with. */
export type Exchanged = { readonly target: string; readonly answer: Answer };

/** Something about a call is wrong before anything was sent. */
const notSent = (message: string, cause?: unknown): ToolFailure =>
  new ToolFailure(message, { code: 'invalid_request', retry: 'never', effect: 'none', cause });

/** Runs what reads arguments only: where it cannot be done nothing was sent. */
export const beforeSending = <T>(make: () => T): T => {
  try {
    return make();
  } catch (error) {
    if (error instanceof CannotFill) throw notSent(`nothing was sent: ${error.message}`, error);
    throw error;
  }
};

/** Sends one request, once, and reads its answer, whatever its status. */
export const exchange = async (
  plan: RequestPlan,
  scene: Scene,
  { fetch }: Pick<ToolContext | ToolQuestion, 'fetch'>,
  { egress, limits, timeoutMs }: Bounds,
): Promise<Exchanged> => {
  const { url, request } = beforeSending(() => fillRequest(plan, scene));
  const target = `${plan.method} ${url.origin}${url.pathname}`;
  const bytes = bytesOf(request);
  if (bytes > limits.requestBytes) {
    throw notSent(`nothing was sent: the body has ${bytes} bytes, and limits.request is ${limits.requestBytes}`);
  }
  const response = await fetch(url, {
    ...request,
    accept: 'any',
    timeoutMs,
    bytesMax: limits.answerBytes,
    refuseAddress: egress.refuseAddress,
  });
  return { target, answer: named(target, () => readAnswer(response, limits.answerBytes)) };
};

const bytesOf = ({ body }: ToolRequest): number => (body === undefined ? 0 : Buffer.byteLength(body));

const named = <T>(target: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new HttpError(`${target}: ${error.message}`, error.code, error.status, { cause: error });
  }
};
