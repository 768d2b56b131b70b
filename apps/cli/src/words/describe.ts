import { unreachable, type EffectsReport, type HistoryEvent, type RunEventData } from '@holdfast/events';

/** One event of history as a sentence for people. The only place that has words for events. */
export const describeEvent = (event: HistoryEvent): string => {
  switch (event.type) {
    case 'LaneAcquired':
      return 'A coordinator took the lane over.';
    case 'LaneAdvanced':
      return `The lane advanced to seq ${event.data.reactedSeq}.`;
    case 'InputsLost':
      return `Inputs ${event.data.from} to ${event.data.to} of ${event.data.topic} were lost; ${event.data.acceptedBy} accepted that.`;
    case 'RunAccepted':
      return accepted(event.data);
    case 'CancelRequested':
      return cancelRequested(event.data);
    case 'RunWaiting':
      return `The run waits for ${event.data.waitingFor}.`;
    case 'RunEnded':
      return `The run ended: ${reasonWords(event.data.reason)}${tail(event.data.detail)}. ${describeReport(event.data.report)}`;
    case 'ReportAmended':
      return `The report was amended for ${event.data.stepId}: ${event.data.change}.`;
    default:
      return describeStepEvent(event);
  }
};

type StepEvent = Exclude<
  HistoryEvent,
  {
    type:
      | 'LaneAcquired'
      | 'LaneAdvanced'
      | 'InputsLost'
      | 'RunAccepted'
      | 'CancelRequested'
      | 'RunWaiting'
      | 'RunEnded'
      | 'ReportAmended';
  }
>;

const describeStepEvent = (event: StepEvent): string => {
  const at = place(event.data);
  switch (event.type) {
    case 'StepScheduled':
      return scheduled(event.data);
    case 'AttemptHeld':
      return `${at} is held by session ${event.data.session} until ${time(event.data.deadline)}.`;
    case 'AttemptClosed':
      return `${at} was closed before anybody began it (${closeWords[event.data.cause]}): it never acts.`;
    case 'AttemptSkipped':
      return `${at} was skipped by its session: ${event.data.reason}.`;
    case 'StepSucceeded':
      return succeeded(event.data);
    case 'StepFailed':
      return failed(event.data);
    case 'BackoffStarted':
      return `${event.data.stepId} waits until ${time(event.data.dueAt)} (${backoffWords[event.data.cause]}).`;
    case 'EscalationOpened':
      return `A person is asked about ${at}: ${event.data.question} Choices: ${event.data.choices.join(', ')}; until ${time(event.data.expiresAt)}.`;
    case 'EscalationAnswered':
      return `${event.data.principal ?? 'Somebody'} answered ${event.data.choice} about ${at}${tail(event.data.note)}.`;
    case 'EscalationExpired':
      return `Nobody answered the question about ${at} in time.`;
    default:
      return describeDoubt(event);
  }
};

type DoubtEvent = Extract<StepEvent, { type: 'DoubtOpened' | 'ProbeRecorded' | 'DoubtSettled' | 'ConflictFound' }>;

const describeDoubt = (event: DoubtEvent): string => {
  const at = place(event.data);
  switch (event.type) {
    case 'DoubtOpened':
      return `${at} is in doubt: ${doubtWords[event.data.cause]}. Nothing can land after ${time(event.data.settledAt)}${holdWords[event.data.holds]}.`;
    case 'ProbeRecorded':
      return `Question ${event.data.probe} about ${at} brought no answer: ${event.data.evidence.summary}.`;
    case 'DoubtSettled':
      return `The doubt about ${at} is settled: ${settledWords[event.data.verdict]} (${byWords[event.data.by]}: ${event.data.evidence.summary}).`;
    case 'ConflictFound':
      return `CONFLICT at ${at}: ${event.data.found}, but ${event.data.actedOn} was acted on. ${event.data.evidence.summary}`;
    default:
      return unreachable(event);
  }
};

/** What a run did to the world, in one sentence. */
export const describeReport = (report: EffectsReport): string => {
  const parts = [
    `${count(report.stepsSucceeded, 'step')} succeeded`,
    `${report.stepsFailed} failed`,
    `${count(report.applied, 'effect')} applied`,
    ...list(report.absent, report.totals.absent, 'found absent'),
    ...list(report.inDoubt, report.totals.inDoubt, 'STILL IN DOUBT'),
    ...list(report.running, report.totals.running, 'still running'),
    ...list(report.conflicts, report.totals.conflicts, 'IN CONFLICT'),
  ];
  return `${parts.join(', ')}.`;
};

const list = (entries: EffectsReport['absent'], total: number, word: string): readonly string[] => {
  if (total === 0) return [];
  const named = entries.slice(0, 5).map(({ stepId, attempt }) => `${stepId}/${attempt}`);
  return [`${total} ${word} (${named.join(', ')}${total > named.length ? ', …' : ''})`];
};

/** The reason of an end, in words. */
export const reasonWords = (reason: RunEventData<'RunEnded'>['reason']): string => reason.replaceAll('_', ' ');

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;
const time = (at: number): string => new Date(at).toISOString();
const place = ({ stepId, attempt }: { stepId: string; attempt: number }): string => `${stepId} (attempt ${attempt})`;
const tail = (text: string): string => (text === '' ? '' : `: ${text}`);

const accepted = (data: RunEventData<'RunAccepted'>): string => {
  const { program, principal, deadlineAt } = data;
  const name = program.name === undefined ? 'a plan' : `"${program.name}"`;
  const by = principal === null ? '' : ` from ${principal}`;
  return `The run was accepted${by}: ${name} with ${count(program.steps.length, 'step')} at its top, to end by ${time(deadlineAt)}.`;
};

const scheduled = (data: RunEventData<'StepScheduled'>): string => {
  const why = data.settling ? ' again with the same key, to settle the doubt' : '';
  return `${place(data)} was scheduled${why}: ${data.tool} (${data.policy}) on ${data.queue}[${data.partition}].`;
};

const succeeded = (data: RunEventData<'StepSucceeded'>): string => {
  const { omitted } = data;
  const how = { outcome: '', verdict: ', as the tool confirmed', person: ', as a person confirmed' }[data.by];
  const size = omitted === undefined ? '' : ` Its result of ${omitted.bytes} bytes was too large to be kept.`;
  return `${place(data)} succeeded${how}.${size}`;
};

const failed = (data: RunEventData<'StepFailed'>): string => {
  const { failure, final, effect } = data;
  const acted = effect === 'none' ? 'it did not act' : 'whether it acted is unknown';
  return `${place(data)} failed${final ? ' for good' : ''}: ${failure.message} (${failure.code}; ${acted}).`;
};

const cancelRequested = (data: RunEventData<'CancelRequested'>): string => {
  const by = data.principal === null ? '' : ` by ${data.principal}`;
  const how = data.mode === 'drain' ? ', letting running calls end' : '';
  return `A cancel was requested${by}${how}${tail(data.reason)}. It is over by ${time(data.deadlineAt)}.`;
};

const closeWords: Readonly<Record<RunEventData<'AttemptClosed'>['cause'], string>> = {
  start_by: 'it was not begun in time',
  cancel: 'the run was cancelled',
  hold: 'the run is held until a doubt is settled',
  refused: 'its executor refused it',
  window_over: 'its key is no longer remembered',
};

const doubtWords: Readonly<Record<RunEventData<'DoubtOpened'>['cause'], string>> = {
  session_ended: 'its session ended without a word on it',
  session_expired: 'its session is no longer heard of',
  outcome_unknown: 'its own session cannot tell whether it acted',
  deadline_passed: 'its deadline passed without a word',
  claims_unreadable: 'who held it can no longer be read',
};

const holdWords: Readonly<Record<RunEventData<'DoubtOpened'>['holds'], string>> = {
  run: '; the run holds until it is settled',
  step: '; what depends on it holds',
  none: '',
};

const settledWords: Readonly<Record<RunEventData<'DoubtSettled'>['verdict'], string>> = {
  applied: 'the effect was applied',
  absent: 'the effect was not applied',
  rerun: 'it may be run again',
};

const byWords: Readonly<Record<RunEventData<'DoubtSettled'>['by'], string>> = {
  reconciler: 'says the tool',
  outcome: 'says its own session',
  person: 'says a person',
  policy: 'by its replay policy',
  log: 'by the log',
};

const backoffWords: Readonly<Record<RunEventData<'BackoffStarted'>['cause'], string>> = {
  failed: 'after a failure',
  refused: 'its executor refused it',
  skipped: 'its executor skipped it',
};
