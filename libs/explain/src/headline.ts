import type { Escalation, LiveRun, StepState } from '@holdfast/events';
import { count, moment, reasonWords, some, tail } from '@holdfast/words';
import type { Setting } from './setting.js';
import { statusOf } from './status.js';
import type { Told } from './told.js';

/** The most important thing about a run, in one sentence. */
export const headlineOf = ({ run, live, end, undo, last }: Told, { now }: Setting): string => {
  const name = `Run ${run.runId}`;
  switch (statusOf(run, Date.parse(last.time))) {
    case 'ended':
      return `${name} is over: ${end === null ? '' : `${reasonWords(end.reason)}${tail(end.detail)}`}.`;
    case 'closing':
      return `${name} is over (${end === null ? '' : reasonWords(end.reason)}), and ${leftOver(live, undo.started !== null)}.`;
    case 'cancelling':
      return `${name} is being cancelled; it is over by ${moment(live.cancel?.deadlineAt ?? now, now)}.`;
    case 'paused':
      return `${name} is paused by ${live.paused?.principal ?? 'somebody'}${tail(live.paused?.reason ?? '')}.`;
    case 'recovering':
      return `${name} is held until it is known what became of ${doubtful(live)}.`;
    case 'waiting':
      return `${name} waits for ${waitedFor(live)}.`;
    case 'running':
      return `${name} is running: ${progress(live)}.`;
  }
};

const leftOver = ({ steps, escalations }: LiveRun, undoing: boolean): string => {
  const open = steps.filter(({ attempts }) => attempts.length > 0).length;
  if (open > 0) return `${count(open, 'effect')} of it ${open === 1 ? 'is' : 'are'} still to be found out about`;
  const asked = Object.keys(escalations).length;
  if (asked > 0) return `${count(asked, 'question')} about it ${asked === 1 ? 'is' : 'are'} open`;
  return undoing ? 'its effects are being undone' : 'its effects are to be undone';
};

const doubtful = ({ steps }: LiveRun): string =>
  some(
    steps.filter(({ doubt }) => doubt?.holds === 'run').map(({ stepId }) => stepId),
    3,
  );

const waitedFor = ({ concurrency, waiting, escalations }: LiveRun): string => {
  if (concurrency?.status === 'waiting') return `the key ${concurrency.key}, which run ${concurrency.holder} has`;
  if (concurrency?.status === 'asked') return `the key ${concurrency.key}`;
  const [first, ...others] = Object.values(escalations);
  if (first !== undefined) return questionWords(first, others.length);
  return waiting?.waitingFor ?? 'a place in a queue';
};

const questionWords = ({ seq, question }: Escalation, more: number): string =>
  `the answer to question ${seq} (${question.replace(/[.?!]+$/, '')})${more === 0 ? '' : ` and to ${more} more`}`;

const progress = ({ steps, report, children }: LiveRun): string => {
  const under = steps.filter(isUnderWay).length;
  const failed = report.stepsFailed === 0 ? '' : `, ${report.stepsFailed} failed`;
  const begun = children.length === 0 ? '' : `, ${count(children.length, 'run')} begun and not over`;
  return `${count(under, 'step')} under way${begun}, ${report.stepsSucceeded} succeeded${failed}`;
};

const isUnderWay = ({ attempts }: StepState): boolean => attempts.some(({ status }) => status !== 'doubtful');
