import { askedAt, maySettleAgain, maySettleOnceResumed, type Escalation, type StepState } from '@holdfast/events';
import { answerWith, describeEvent, moment, silenceWords, span, time } from '@holdfast/words';
import type { Setting } from './setting.js';
import type { Told } from './told.js';

const NAMED_MAX = 5;

/** What is in doubt, since when nothing can land any more, and who is asked about it. */
export const doubtLines = (told: Told, setting: Setting): readonly string[] => {
  const doubtful = told.live.steps.filter(({ doubt }) => doubt !== null);
  const more = doubtful.length - NAMED_MAX;
  return [
    ...doubtful.slice(0, NAMED_MAX).map((step) => doubtLine(told, step, setting)),
    ...(more > 0 ? [`… and ${more} more steps are in doubt.`] : []),
  ];
};

const doubtLine = (told: Told, step: StepState, setting: Setting): string => {
  const { doubt } = step;
  const opened = doubt === null ? undefined : told.event(doubt.seq);
  const sentence = opened === undefined ? `${step.stepId} is in doubt.` : describeEvent(opened);
  return [sentence, ...settling(told, step, setting)].join(' ');
};

/** How a doubt comes to its end. */
const settling = ({ live, probe }: Told, step: StepState, { now }: Setting): readonly string[] => {
  const { doubt, policy, tool } = step;
  if (doubt === null) return [];
  if (policy === 'keyed' && maySettleAgain(live, step)) return ['It is settled by calling again under the same key.'];
  if (policy === 'keyed' && maySettleOnceResumed(live, step)) {
    return ['It is settled by calling again under the same key once the run is resumed.'];
  }
  const { seq, settledAt, settleBy, probes } = doubt;
  if (policy === 'unprotected' || live.tools[tool]?.verify !== true) {
    return [now < settledAt ? `A person is asked from ${moment(settledAt, now)} on.` : 'Only a person can say.'];
  }
  const last = probe(seq)?.evidence.summary;
  const vain = probes === 0 ? '' : `, ${probes} times in vain so far${last === undefined ? '' : ` (last: ${last})`}`;
  const early =
    now < settledAt ? ` Until then (in ${span(settledAt - now)}) its word that nothing happened does not count.` : '';
  const then = now < settleBy ? ` From ${moment(settleBy, now)} on a person is asked.` : '';
  return [`The tool is asked what became of it${vain}.${early}${then}`];
};

/** What people are asked, and how to answer. */
export const questionLines = (told: Told, { now }: Setting): readonly string[] => {
  const open = Object.values(told.live.escalations);
  const more = open.length - NAMED_MAX;
  return [
    ...open.slice(0, NAMED_MAX).map((question) => questionLine(told, question, now)),
    ...(more > 0 ? [`… and ${more} more questions are open.`] : []),
  ];
};

const questionLine = ({ live, event }: Told, question: Escalation, now: number): string => {
  const opened = event(question.seq);
  const sentence = opened === undefined ? question.question : describeEvent(opened);
  const asked = askedAt(question, now);
  const who = asked.length < 2 ? '' : ` Asked so far: ${asked.join(', ')}.`;
  const late = `Its time was over ${time(question.expiresAt)}; it can still be answered.`;
  const silence = question.expired ? late : `If nobody answers, ${silenceWords(question)}.`;
  return `Question ${question.seq} (${question.kind}): ${sentence}${who} ${silence} Answer with: ${answerWith(live.runId, question)}`;
};
