import { isLane, type Request, type RequestOf } from '@holdfast/contracts';
import type { AcceptingEvent } from '@holdfast/events';
import { decideReport } from '../children/child.decide.js';
import { decideClaim, decideRelease } from '../keys/key-owner.decide.js';
import { decideKey, decideSupersede } from '../keys/key-run.decide.js';
import { decideAnswer } from '../run/answer.decide.js';
import { decideBulkCancel } from '../run/bulk-cancel.decide.js';
import { decideCancel } from '../run/cancel.decide.js';
import type { RunDraft } from '../run/draft.js';
import type { Env } from '../run/env.js';
import { decideKill } from '../run/kill.decide.js';
import { decidePause, decideResume } from '../run/pause.decide.js';
import { decideSteer } from '../run/steer.decide.js';
import { decideGive } from '../run/grant.decide.js';
import { decideSubmit } from '../run/submit.decide.js';
import { decideAsk, decideReturn, decideTenantBudget } from '../run/tenant.decide.js';

/** What came with a request: when it was written, by the broker's clock, and a random key in case it begins a run. */
export type Received<T extends Request['type']> = {
  readonly request: RequestOf<T>;
  readonly at: number;
  readonly runKey: string;
};

type Decider<T extends Request['type']> = {
  /**
   * The events by which a repeat of the request is known. Null: what one lane asks another one is known by the state
   * that it meets, is not remembered, and gets no reply.
   */
  readonly acceptedBy: readonly AcceptingEvent[] | null;
  readonly decide: (draft: RunDraft, received: Received<T>, env: Env) => void;
};

/** What one lane asks another one is passed over where somebody else says it. */
const between = <T extends Request['type']>(decide: Decider<T>['decide']): Decider<T> => ({
  acceptedBy: null,
  decide: (draft, received, env) => {
    if (isLane(received.request.principal)) decide(draft, received, env);
  },
});

const deciders: { readonly [T in Request['type']]: Decider<T> } = {
  SubmitRun: { acceptedBy: ['RunAccepted'], decide: decideSubmit },
  CancelRun: {
    acceptedBy: ['CancelRequested', 'CancelRemembered'],
    decide: (draft, { request }, env) => decideCancel(draft, request, env),
  },
  CancelRuns: {
    acceptedBy: ['BulkCancelRequested'],
    decide: (draft, { request }, env) => decideBulkCancel(draft, request, env),
  },
  KillRun: {
    acceptedBy: ['KillRequested'],
    decide: (draft, { request }, env) => decideKill(draft, request, env),
  },
  PauseRun: {
    acceptedBy: ['RunPaused'],
    decide: (draft, { request }, env) => decidePause(draft, request, env),
  },
  ResumeRun: {
    acceptedBy: ['RunResumed'],
    decide: (draft, { request }, env) => decideResume(draft, request, env),
  },
  SteerRun: {
    acceptedBy: ['RunSteered'],
    decide: (draft, { request }, env) => decideSteer(draft, request, env),
  },
  AnswerEscalation: {
    acceptedBy: ['EscalationAnswered'],
    decide: decideAnswer,
  },
  ClaimKey: between(({ lane }, { request }, env) => decideClaim(lane, request.data, env)),
  ReleaseKey: between(({ lane }, { request }, env) => decideRelease(lane, request.data, env)),
  DecideKey: between((draft, { request }, env) => decideKey(draft, request, env)),
  ReportChild: between((draft, { request }, env) => decideReport(draft, request, env)),
  SupersedeRun: between((draft, { request }, env) => decideSupersede(draft, request, env)),
  SetTenantBudget: {
    acceptedBy: ['TenantBudgetSet'],
    decide: (draft, { request }) => decideTenantBudget(draft, request),
  },
  AskGrant: between(decideAsk),
  GiveGrant: between((draft, { request }, env) => decideGive(draft, request, env)),
  ReturnGrant: between(decideReturn),
};

export const deciderOf = ({ type }: Request): Decider<Request['type']> => deciders[type] as Decider<Request['type']>;
