import { attemptId, type HistoryRecord } from '@holdfast/events';
import type { Effect, Evidence, Invariant } from './evidence.js';

/** To be asked at each moment: what is in the log when an effect is seen for the first time was there before it. */
export const effectAfterFirstClaim: Invariant = {
  name: 'no effect before its claim is durable and first',
  about: ['claims', 'ledger'],
  breach: ({ claims, ledger }) => {
    for (const effect of ledger) {
      if (effect.policy === 'pure') continue;
      const first = claims.find((claim) => 'attemptId' in claim.data && claim.data.attemptId === effect.attemptId);
      if (first === undefined) return `${named(effect)} without any claim in the log`;
      if (first.type === 'AttemptClosed') return `${named(effect)}, but the attempt was closed first`;
      if (first.type === 'AttemptClaimed' && first.data.session !== effect.session)
        return `${named(effect)}, but the first claim is of session ${first.data.session}`;
    }
    return null;
  },
};

export const oneAttemptActs: Invariant = {
  name: 'at most one attempt of a step acts, and once, unless its policy allows more',
  about: ['ledger'],
  breach: ({ ledger }) => {
    const actors = new Map<string, Effect>();
    for (const effect of ledger) {
      // No claim decides who makes a `pure` call: whoever gets a copy of its command may.
      if (!effect.applied || effect.policy === 'pure') continue;
      const once = effect.policy === 'repeatable' ? effect.attemptId : effect.key;
      const before = actors.get(once);
      if (before !== undefined) return `${named(effect)}, after ${named(before)}`;
      actors.set(once, effect);
    }
    return null;
  },
};

export const closedNeverActs: Invariant = {
  name: 'what was closed, skipped, failed or found absent has not acted and never acts',
  about: ['history', 'ledger'],
  breach: ({ history, ledger }) => {
    const concluded = new Map<string, string>();
    for (const record of history) for (const [id, why] of notActed(record, history)) concluded.set(id, why);
    for (const effect of ledger) {
      const why = concluded.get(effect.attemptId);
      if (why !== undefined) return `${named(effect)}, but history says: ${why}`;
    }
    return null;
  },
};

/** Attempts of which an event says that they did not act. */
const notActed = (record: HistoryRecord, history: readonly HistoryRecord[]): readonly [string, string][] => {
  const { event, subject } = record;
  const one = (data: { readonly stepId: string; readonly attempt: number }, why: string): [string, string] => [
    attemptId({ runId: subject ?? '', ...data }),
    `${why} at ${record.lane.seq}`,
  ];
  switch (event.type) {
    case 'AttemptClosed':
    case 'AttemptSkipped':
      return [one(event.data, event.type)];
    case 'StepFailed':
      return event.data.effect === 'none' && event.data.session !== null ? [one(event.data, event.type)] : [];
    case 'DoubtSettled': {
      if (event.data.verdict !== 'absent') return [];
      const { stepId } = event.data;
      return scheduledBefore(history, record, stepId).map((attempt) => one({ stepId, attempt }, 'found absent'));
    }
    default:
      return [];
  }
};

const scheduledBefore = (
  history: readonly HistoryRecord[],
  { lane, subject }: HistoryRecord,
  stepId: string,
): number[] =>
  history.flatMap(({ event, subject: runId, lane: place }) =>
    place.seq < lane.seq && runId === subject && event.type === 'StepScheduled' && event.data.stepId === stepId
      ? [event.data.attempt]
      : [],
  );

/** What is known about the attempts of a step. */
type Known = {
  /** Attempts of which nobody has said that they did not act. */
  readonly open: Set<number>;
  readonly doubtful: Set<number>;
  /** Where history says that the effect of the step is there. */
  doneAt: number | null;
};

export const nothingRunAgainUnasked: Invariant = {
  name: 'no attempt is run again without absent, a policy that allows it, or a person',
  about: ['history'],
  breach: ({ history }) => {
    const steps = new Map<string, Known>();
    for (const record of history) {
      if (!('stepId' in record.event.data)) continue;
      const step = `${record.subject}/${record.event.data.stepId}`;
      const known = steps.get(step) ?? { open: new Set(), doubtful: new Set(), doneAt: null };
      steps.set(step, known);
      const breach = againBreach(record, known);
      if (breach !== null) return `${step}/${breach}`;
      learn(record, known);
    }
    return null;
  },
};

const againBreach = ({ event, lane }: HistoryRecord, { open, doneAt }: Known): string | null => {
  if (event.type !== 'StepScheduled') return null;
  const { attempt, policy, settling } = event.data;
  if (doneAt !== null) return `${attempt} is scheduled at ${lane.seq}, though its step is done since ${doneAt}`;
  const allowed = policy === 'pure' || policy === 'repeatable' || (settling && policy === 'keyed');
  if (open.size === 0 || allowed) return null;
  return `${attempt} is scheduled at ${lane.seq}, though nobody knows about attempts ${[...open].join()}`;
};

/** A person's answer needs no place here: `absent` settles the doubt, and `retry` is offered only where there is none. */
const learn = ({ event, lane }: HistoryRecord, known: Known): void => {
  switch (event.type) {
    case 'StepScheduled':
      known.open.add(event.data.attempt);
      return;
    case 'DoubtOpened':
      known.doubtful.add(event.data.attempt);
      return;
    case 'AttemptClosed':
    case 'AttemptSkipped':
      known.open.delete(event.data.attempt);
      return;
    case 'StepFailed':
      if (event.data.effect === 'none') known.open.delete(event.data.attempt);
      return;
    case 'StepSucceeded':
      known.doneAt ??= lane.seq;
      return;
    case 'DoubtSettled':
      if (event.data.verdict === 'applied') known.doneAt ??= lane.seq;
      // Of `rerun` nothing is learnt: that it may follow is for the policy to say.
      if (event.data.verdict === 'absent') for (const attempt of known.doubtful) known.open.delete(attempt);
      known.doubtful.clear();
      return;
    default:
      return;
  }
};

export const reportAgrees: Invariant = {
  name: 'the report of an ended run agrees with the ledger of effects',
  about: ['history', 'ledger'],
  breach: (evidence) => {
    for (const { event, subject } of evidence.history) {
      if (event.type !== 'RunEnded') continue;
      const breach = reportBreach(evidence, subject ?? '');
      if (breach !== null) return breach;
    }
    return null;
  },
};

/** What has acted counts as applied, or the report says that it may have. */
const reportBreach = ({ history, lane, ledger }: Evidence, runId: string): string | null => {
  const own = history.filter(({ subject }) => subject === runId);
  const acted = new Map(
    ledger
      .filter(
        ({ attemptId, policy }) => attemptId.startsWith(`${runId}/`) && policy !== 'repeatable' && policy !== 'pure',
      )
      .map((effect) => [effect.stepId, effect]),
  );
  const applied = new Set(own.flatMap(({ event }) => (event.type === 'StepSucceeded' ? [event.data.stepId] : [])));
  const last = own.findLast(({ event }) => event.type === 'RunEnded' || event.type === 'ReportAmended');
  if (last?.event.type !== 'RunEnded' && last?.event.type !== 'ReportAmended') return null;
  const { report } = last.event.data;
  const mayHave = new Set([...report.inDoubt, ...report.running].map(({ stepId }) => stepId));
  for (const effect of acted.values())
    if (!applied.has(effect.stepId) && !mayHave.has(effect.stepId))
      return `${named(effect)}, which the report does not tell`;
  const over = lane.runs.get(runId)?.run.status === 'ended';
  for (const stepId of applied) {
    const policy = own.find(({ event }) => event.type === 'StepScheduled' && event.data.stepId === stepId)?.event;
    const effect =
      policy?.type === 'StepScheduled' && policy.data.policy !== 'pure' && policy.data.policy !== 'repeatable';
    if (over && effect && !acted.has(stepId))
      return `step ${stepId} is told to be applied, but nothing has acted for it`;
  }
  return null;
};

const named = ({ attemptId, session }: Effect): string => `${attemptId} acted in session ${session}`;
