import type { RequestOf } from '@holdfast/contracts';
import {
  isStopping,
  isWithinDepth,
  jsonBytes,
  LIMITS,
  openStep,
  type Escalation,
  type LiveRun,
} from '@holdfast/events';
import { answerProblem, type Json } from '@holdfast/programs';
import { kept } from './bounded.js';
import type { Env } from './env.js';
import type { Refusal } from './refuse.js';
import { absentCounts } from './verdict.decide.js';

export type Attempted = {
  readonly run: LiveRun;
  readonly escalation: Escalation;
  readonly request: RequestOf<'AnswerEscalation'>;
  /** When the answer was given, by the broker's clock. */
  readonly at: number;
};

/** Why an answer to an open question does not count; null when it does. */
export const answerRefusal = (attempted: Attempted, env: Env): Refusal | null =>
  notOffered(attempted) ?? outOfTime(attempted) ?? badValue(attempted, env) ?? tooEarly(attempted, env);

const notOffered = ({ escalation, request }: Attempted): Refusal | null => {
  const { choice, value, result } = request.data;
  if (escalation.kind === 'approval' && (value !== undefined || result !== undefined || choice === 'edit')) {
    const message =
      'the call is approved as it was shown, or not: other arguments are another call, which is asked anew';
    return { code: 'edit_not_offered', message };
  }
  if (escalation.choices.includes(choice)) return null;
  return { code: 'choice_not_offered', message: `choose one of ${escalation.choices.join(', ')}` };
};

/** What settles a doubt is evidence whenever it comes; leave to go on is not. */
const outOfTime = ({ run, escalation, at }: Attempted): Refusal | null => {
  const { kind, doubtSeq, expiresAt } = escalation;
  if ((kind === 'question' || kind === 'approval') && isStopping(run)) {
    if (run.cancel === null)
      return { code: 'run_ended', message: `run ${run.runId} has failed: nothing begins any more` };
    return { code: 'run_cancelling', message: `run ${run.runId} is being cancelled: nothing begins any more` };
  }
  if (doubtSeq !== null || at < expiresAt) return null;
  const [until, given] = [expiresAt, at].map((time) => new Date(time).toISOString());
  return { code: 'expired', message: `it was to be answered before ${until}; this answer was given at ${given}` };
};

const badValue = ({ escalation, request }: Attempted, env: Env): Refusal | null => {
  const { value, result, proof, choice } = request.data;
  const tooLarge = [value, result].some((given) => given !== undefined && 'omitted' in kept(given as Json, env));
  if (tooLarge) {
    const message = `an answer or a result may have at most ${LIMITS.inlineValueBytes} bytes and ${LIMITS.valueDepth} levels`;
    return { code: 'too_large', message };
  }
  if (proof !== undefined && !isProof(proof as Json)) {
    const message = `a proof may have at most ${LIMITS.evidenceBytes} bytes and ${LIMITS.valueDepth} levels; give a reference`;
    return { code: 'too_large', message };
  }
  if (escalation.schema === null || choice !== 'answer') return null;
  if (value === undefined) return { code: 'answer_wrong', message: 'the answer needs a value' };
  const problem = answerProblem(escalation.schema, value as Json);
  return problem === null ? null : { code: 'answer_wrong', message: problem };
};

const isProof = (proof: Json): boolean =>
  jsonBytes(proof) <= LIMITS.evidenceBytes && isWithinDepth(proof, LIMITS.valueDepth);

const tooEarly = ({ run, escalation, request }: Attempted, env: Env): Refusal | null => {
  const { choice, lookedAt } = request.data;
  const step = openStep(run, escalation.stepId);
  if (choice !== 'absent' || !step?.doubt || absentCounts(step, Math.min(lookedAt ?? env.now, env.now), env))
    return null;
  const when = new Date(step.doubt.settledAt).toISOString();
  return { code: 'too_early', message: `the effect may still land until ${when}; look again after that` };
};
