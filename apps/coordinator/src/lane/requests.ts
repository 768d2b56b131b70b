import type { Request, RequestOf } from '@holdfast/contracts';
import type { AcceptingEvent } from '@holdfast/events';
import { decideAnswer } from '../run/answer.decide.js';
import { decideCancel } from '../run/cancel.decide.js';
import type { RunDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';
import { decideSubmit } from '../run/submit.decide.js';

/** What came with a request: when it was written, by the broker's clock, and a random key in case it begins a run. */
export type Received<T extends Request['type']> = {
  readonly request: RequestOf<T>;
  readonly at: number;
  readonly runKey: string;
};

type Decider<T extends Request['type']> = {
  /** The events by which a repeat of the request is known. */
  readonly acceptedBy: readonly AcceptingEvent[];
  readonly decide: (draft: RunDraft, received: Received<T>, env: Env) => void;
};

const deciders: { readonly [T in Request['type']]: Decider<T> } = {
  SubmitRun: { acceptedBy: ['RunAccepted'], decide: decideSubmit },
  CancelRun: {
    acceptedBy: ['CancelRequested', 'CancelRemembered'],
    decide: (draft, { request }, env) => decideCancel(draft, request, env),
  },
  AnswerEscalation: {
    acceptedBy: ['EscalationAnswered'],
    decide: (draft, { request }, env) => decideAnswer(draft, request, env),
  },
};

export const deciderOf = ({ type }: Request): Decider<Request['type']> => deciders[type] as Decider<Request['type']>;
