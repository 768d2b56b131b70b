import {
  decode,
  encode,
  lanePrincipal,
  requestKind,
  type JournalRecord,
  type LaneRequest,
  type Request,
  type Verdict,
} from '@holdfast/contracts';
import { T0 } from './clock.js';

const envelope = {
  version: 1,
  id: 'id',
  source: 'test',
  subject: null,
  time: new Date(T0).toISOString(),
  principal: null,
};

type Data<M extends { readonly type: string; readonly data: object }, T extends M['type']> = Extract<
  M,
  { type: T }
>['data'];

export const request = <T extends Request['type']>(type: T, data: Data<Request, T>): Extract<Request, { type: T }> =>
  ({ ...envelope, type, data }) as unknown as Extract<Request, { type: T }>;

/** What one lane asks another one, as that one reads it. */
export const heard = ({ type, data }: LaneRequest): Request => {
  const read = decode(requestKind, encode({ ...envelope, type, data, principal: lanePrincipal(0) }), {});
  if (!read.ok) throw new Error(`a lane asks what no lane can read: ${read.problem}`);
  return read.message;
};

type Who = { readonly runId?: string; readonly step?: string; readonly attempt?: number; readonly session?: string };

/** A word of an executor about an attempt; `S` about attempt 0 of step `a` of `run-1` unless told. */
export const word = <T extends JournalRecord['type']>(
  type: T,
  { runId = 'run-1', step = 'a', attempt = 0, session = 'S' }: Who = {},
  more: Partial<Data<JournalRecord, T>> = {},
): JournalRecord => {
  const ref = { attemptId: `${runId}/${step}/${attempt}`, runId, stepId: step, attempt, session, deadline: T0 + 1_000 };
  const failure = { code: 'refused', message: 'it said no' };
  const times = { startedAt: T0, endedAt: T0 };
  const all = {
    ...ref,
    ...times,
    reason: 'no reason',
    effect: 'unknown',
    failure,
    retry: 'later',
    progress: 1,
    result: 'done',
  };
  const fields: Record<JournalRecord['type'], readonly string[]> = {
    AttemptStarted: ['startedAt'],
    AttemptProgressed: ['progress'],
    AttemptRefused: ['reason'],
    AttemptSkipped: ['reason'],
    AttemptSucceeded: ['result', 'startedAt', 'endedAt'],
    AttemptFailed: ['failure', 'retry', 'startedAt', 'endedAt'],
    AttemptAborted: ['effect', 'reason', 'endedAt'],
    AttemptUnknown: ['failure', 'startedAt', 'endedAt'],
  };
  const wanted = new Set([...Object.keys(ref), ...fields[type]]);
  const data = Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
  return { ...envelope, type, data: { ...data, ...more } } as unknown as JournalRecord;
};

export const verdict = (
  doubtSeq: number,
  found: Verdict['data']['verdict'],
  more: Partial<Verdict['data']> = {},
): Verdict => ({
  ...envelope,
  type: 'EffectJudged',
  data: {
    attemptId: 'run-1/a/0',
    runId: 'run-1',
    stepId: 'a',
    attempt: 0,
    doubtSeq,
    verdict: found,
    askedAt: T0,
    probe: 1,
    judgedBy: 'R',
    evidence: { summary: 'the tool says so' },
    ...more,
  },
});
