import { decode, encode, homeOf, laneOfRequest, requestKind, type Request, type TopicNames } from '@holdfast/contracts';
import { LIMITS } from '@holdfast/events';
import { LogUnavailable, type Log } from '@holdfast/log';
import { z } from 'zod';
import { patiently } from '../log/patiently.js';
import type { Clock, Ids, Timer } from '../ports.js';
import { ClientError, nameOf, NoAnswer, RequestRefused, type Answer } from './client-error.js';
import type { Replies } from './replies.js';

export type AskPorts = {
  readonly log: Log;
  readonly topics: TopicNames;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Timer;
  readonly replies: Replies;
};

export type Ask = {
  readonly lanes: number;
  readonly principal: string | null;
  /** How long to wait for an answer, ms. */
  readonly answerWithinMs: number;
  readonly traceparent?: string | undefined;
};

type Draft = Pick<Request, 'type' | 'data'>;

/** An answered append needs no repeat for the log's sake; the answer itself may have been missed. */
const ASK_AGAIN_MS = 10_000;
const UNKNOWN_FIRST_MS = 200;
const UNKNOWN_MAX_MS = 3_000;

/**
 * Appends a request to its lane and waits for the answer. As long as there is none the same bytes are sent again:
 * a request is known by its id. Rejects with `RequestRefused` or another `ClientError`, also when the client is closed.
 */
export const ask = async (ports: AskPorts, draft: Draft, options: Ask): Promise<Answer> => {
  const { requestId } = draft.data;
  const home = homeOf(draft);
  const entry = { key: home, value: encoded(ports, draft, options) };
  const lane = laneOfRequest(draft, options.lanes);
  await listening(ports, lane, draft);
  const hearing = ports.replies.hear(requestId);
  try {
    const giveUpAt = ports.clock.monotonic() + options.answerWithinMs;
    let landed = false;
    for (let unknownMs = UNKNOWN_FIRST_MS; ; unknownMs = Math.min(2 * unknownMs, UNKNOWN_MAX_MS)) {
      landed = (await append(ports, lane, entry)) || landed;
      const left = giveUpAt - ports.clock.monotonic();
      const answer = await hearing.wait(ports.timer, Math.min(left, landed ? ASK_AGAIN_MS : unknownMs));
      if (answer !== null) return accepted(answer);
      if (ports.clock.monotonic() >= giveUpAt)
        throw noAnswer(home, requestId, { withinMs: options.answerWithinMs, landed });
      await listening(ports, lane, draft);
    }
  } finally {
    hearing.end();
  }
};

/** A request as it was written once, byte for byte, and the lane that it was written to. */
export type Written = { readonly lane: number; readonly key: string | null; readonly value: Uint8Array | null };
/** Where its copy is, and what the coordinator said; null where nobody has said anything in time. */
export type AskedAgain = { readonly offset: number; readonly answer: Answer | null };

/**
 * Appends a request again as it was. Who decided about it knows it by its id, so that nothing is done twice. What cannot
 * be read as a request is appended all the same, and gets no answer.
 */
export const askAgain = async (ports: AskPorts, written: Written, answerWithinMs: number): Promise<AskedAgain> => {
  const { log, topics, replies, timer } = ports;
  const { lane, key, value } = written;
  const decoded = decode(requestKind, value);
  if (decoded.ok) await listening(ports, lane, decoded.message);
  const hearing = decoded.ok ? replies.hear(decoded.message.data.requestId) : null;
  try {
    const appended = await log.append(topics.requests, lane, [{ key, value }]);
    const what = `${topics.requests} (partition ${lane})`;
    if (appended.outcome === 'refused') throw new ClientError('too_large', `${what}: ${appended.detail}`);
    if (appended.outcome === 'unknown') throw new NoAnswer(`${what} has not said that it has it`, false);
    return { offset: appended.offset, answer: (await hearing?.wait(timer, answerWithinMs)) ?? null };
  } finally {
    hearing?.end();
  }
};

const accepted = (answer: Answer): Answer => {
  if (answer.outcome === 'refused') throw new RequestRefused(answer);
  return answer;
};

type Unanswered = { readonly withinMs: number; readonly landed: boolean };

const noAnswer = (home: string, requestId: string, { withinMs, landed }: Unanswered): NoAnswer =>
  new NoAnswer(
    `${nameOf(home)}: nobody answered request ${requestId} within ${withinMs} ms; it may still be read. ` +
      `Check that a coordinator is running, then ask again with the same request id`,
    landed,
  );

const listening = async ({ replies, topics, timer }: AskPorts, lane: number, asked: Draft): Promise<void> => {
  mustBeOpen(replies, asked);
  try {
    await patiently(() => replies.listen(lane), { timer });
  } catch (error) {
    if (!(error instanceof LogUnavailable)) throw error;
    throw new ClientError(
      'unreachable',
      `${nameOf(homeOf(asked))}: ${topics.replies} cannot be read: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  mustBeOpen(replies, asked);
};

const mustBeOpen = ({ closed }: Replies, asked: Draft): void => {
  if (!closed) return;
  const about = nameOf(homeOf(asked));
  throw new ClientError(
    'closed',
    `${about}: the client was closed before request ${asked.data.requestId} was answered`,
  );
};

type RequestEntry = { readonly key: string; readonly value: Uint8Array };

/** Whether the request is known to be in the log. */
const append = async ({ log, topics }: AskPorts, lane: number, entry: RequestEntry): Promise<boolean> => {
  const appended = await log.append(topics.requests, lane, [entry]);
  if (appended.outcome !== 'refused') return appended.outcome === 'appended';
  const code = appended.reason === 'too_large' ? 'too_large' : 'unreachable';
  throw new ClientError(
    code,
    `${nameOf(entry.key)}: ${topics.requests} (partition ${lane}) does not take the request: ${appended.detail}`,
  );
};

const encoded = ({ clock, ids }: AskPorts, draft: Draft, asking: Ask): Uint8Array => {
  const { principal, traceparent } = asking;
  const home = homeOf(draft);
  const name = nameOf(home);
  const checked = requestKind.types[draft.type].safeParse(draft.data);
  if (!checked.success) {
    throw new ClientError('invalid_request', `${name}: ${draft.type}: ${z.prettifyError(checked.error)}`);
  }
  tooLarge(name, 'input', (draft.data as { input?: unknown }).input, LIMITS.inlineValueBytes);
  tooLarge(name, 'result', (draft.data as { result?: unknown }).result, LIMITS.inlineValueBytes);
  const time = new Date(clock.now()).toISOString();
  const outer = { version: 1, id: ids.next(), source: 'holdfast/client', subject: home, time, principal };
  const traced = traceparent === undefined ? {} : { traceparent };
  const value = encode({ ...outer, ...traced, type: draft.type, data: checked.data });
  if (value.byteLength >= LIMITS.recordBytes) {
    throw new ClientError(
      'too_large',
      `${name}: the request takes ${value.byteLength} bytes, but must be below ${LIMITS.recordBytes}`,
    );
  }
  return value;
};

const tooLarge = (name: string, what: string, value: unknown, bytesMax: number): void => {
  if (value === undefined) return;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= bytesMax) return;
  throw new ClientError(
    'too_large',
    `${name}: ${what} takes ${bytes} bytes, but at most ${bytesMax} are allowed; ` +
      `put the contents elsewhere and pass a reference`,
  );
};
