import { LIMITS } from '@holdfast/events';
import {
  boundText,
  HttpError,
  isRefusal,
  retryAfterMs,
  retryAfterStatus,
  ToolFailure,
  type Retry,
} from '@holdfast/sdk';
import { z } from 'zod';
import type { Place } from '../place.js';
import type { Scene } from '../template/reference.js';
import { conditionSchema, judge, readCondition, referencesInCondition, type Condition } from './conditions.js';
import type { Answer } from './read-answer.js';

/** What an answer means, where that is not what its status says. */
export const answerRuleSchema = z.strictObject({
  when: conditionSchema,
  /** `failed` is a promise of the API: it has changed nothing. `unclear`: it may have. */
  means: z.enum(['succeeded', 'failed', 'unclear']),
  retry: z.enum(['now', 'later', 'never']).optional(),
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and underscores')
    .optional(),
});

type Raw = z.infer<typeof answerRuleSchema>;
export type AnswerRule = Omit<Raw, 'when'> & { readonly when: Condition };

export const readAnswerRules = (raw: readonly Raw[], place: Place): readonly AnswerRule[] =>
  raw.map((rule, index) => ({ ...rule, when: readCondition(rule.when, `${place}[${index}].when`) }));

export const referencesInRules = (rules: readonly { readonly when: Condition }[]) =>
  rules.flatMap(({ when }) => referencesInCondition(when));

type Meaning = Pick<AnswerRule, 'means' | 'retry' | 'code'>;

/**
 * By status alone: 2xx has succeeded. 4xx has changed nothing, but for 408, and for 409 where a key was sent: an earlier
 * request with it may still be at work. Everything else may have changed something, redirects included.
 */
const byStatus = (status: number, isKeyed: boolean): Meaning => {
  if (status >= 200 && status < 300) return { means: 'succeeded' };
  if (isKeyed && status === 409) return { means: 'unclear', retry: 'later' };
  return { means: isRefusal(status) ? 'failed' : 'unclear' };
};

export type Judging = {
  readonly rules: readonly AnswerRule[];
  readonly isKeyed: boolean;
  /** What was asked, for messages. */
  readonly target: string;
  /** Epoch ms. */
  readonly now: number;
};

/** Returns where the answer means that the call has succeeded, and throws what it means otherwise. */
export const mustHaveSucceeded = (answer: Answer, scene: Scene, judging: Judging): void => {
  const rule = judging.rules.find(({ when }) => judge(when, answer, scene).fits);
  const { means, retry: own, code: ownCode } = rule ?? byStatus(answer.status, judging.isKeyed);
  if (means === 'succeeded') return;
  const { status } = answer;
  const retry: Retry = own ?? (isRedirect(status) ? 'never' : retryAfterStatus(status));
  const after = retry === 'never' ? undefined : retryAfterMs(answer.headers['retry-after'], judging.now);
  const message = messageOf(answer, judging.target);
  const code = ownCode ?? (means === 'unclear' && rule !== undefined ? 'unclear_answer' : `http_${status}`);
  if (means === 'unclear') throw new HttpError(message, code, status, { retry, retryAfterMs: after });
  throw new ToolFailure(message, {
    code,
    retry,
    effect: 'none',
    ...(after === undefined ? {} : { retryAfterMs: after }),
  });
};

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

const messageOf = ({ status, text, headers }: Answer, target: string): string => {
  const to = isRedirect(status) ? ` (to ${headers['location'] ?? 'nowhere'}; redirects are not followed)` : '';
  const said = boundText(text, LIMITS.evidenceBytes / 4);
  return `${target} was answered with ${status}${to}${said === '' ? '' : `: ${said}`}`;
};
