import { type Attempt, type LiveRun, type StepState } from '@holdfast/events';
import { moment, some, time } from '@holdfast/words';
import type { Setting } from './setting.js';
import type { Told } from './told.js';

/** What a cancel would do at this moment. */
export const cancelling = ({ live, end, undo }: Told, setting: Setting): readonly string[] => {
  if (undo.ended !== null) return ['It is over and its undoing, too: a cancel changes nothing.'];
  if (end !== null) return ['It is over: a cancel is answered so and changes nothing.'];
  const { cancel } = live;
  if (cancel !== null) {
    return [
      `It is being cancelled already and is over by ${moment(cancel.deadlineAt, setting.now)}; a second cancel changes nothing.`,
      ...open(live, setting),
      ...children(live),
      undoing(live),
    ];
  }
  return [
    'Nothing starts any more.',
    ...open(live, setting),
    ...children(live),
    deadline(live, setting),
    undoing(live),
  ];
};

type Open = { readonly step: StepState; readonly attempt: Attempt };

/** What is under way, by whether it may still act. */
const open = (run: LiveRun, { now }: Setting): readonly string[] => {
  const all = run.steps.flatMap((step) => step.attempts.map((attempt): Open => ({ step, attempt })));
  const pure = all.filter(({ step }) => step.policy === 'pure');
  const may = all.filter(({ step, attempt }) => step.policy !== 'pure' && attempt.status === 'held');
  const free = all.filter(({ step, attempt }) => step.policy !== 'pure' && attempt.status === 'open');
  const doubts = run.steps.filter(({ doubt }) => doubt !== null);
  return [
    ...listed(
      'Told to stop; may still act until then',
      may.map((one) => held(one, now)),
    ),
    ...listed('Closed at once and never acts, unless somebody has claimed it first', free.map(name)),
    ...listed(
      'Goes on being found out, before the end and after it',
      doubts.map(({ stepId }) => stepId),
    ),
    ...listed('Changes nothing outside and is left to itself', pure.map(name)),
  ];
};

const listed = (words: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${words} (${names.length}): ${some(names)}.`];

const name = ({ step, attempt }: Open): string => `${step.stepId}/${attempt.attempt}`;
const held = (one: Open, now: number): string => {
  const { holder } = one.attempt;
  if (holder === null) return name(one);
  const past = holder.deadline <= now ? ', which is over' : '';
  return `${name(one)} (session ${holder.session}, until ${time(holder.deadline)}${past})`;
};

const children = ({ children: all }: LiveRun): readonly string[] => {
  const bound = all.filter(({ detached }) => !detached).map(({ childRunId }) => childRunId);
  const free = all.filter(({ detached }) => detached).map(({ childRunId }) => childRunId);
  return [
    ...(bound.length === 0 ? [] : [`Runs that it has begun are cancelled with it: ${some(bound)}.`]),
    ...(free.length === 0 ? [] : [`Runs that may outlive it go on: ${some(free)}.`]),
  ];
};

const deadline = (run: LiveRun, { now, cancelMs }: Setting): string => {
  const by = Math.min(now + cancelMs, Math.max(now, run.deadlineAt));
  const acts = run.steps.some(({ policy, attempts }) => policy !== 'pure' && attempts.length > 0);
  return acts || run.children.length > 0
    ? `It is over by ${moment(by, now)} unless another time is given (--within), sooner if nothing is open any more.`
    : 'It is over at once, since nothing is open.';
};

/** What would be taken back. */
const undoing = ({ undo, cancel }: LiveRun): string => {
  if (undo === null) return 'Its effects stay: none of its tools says how to undo them.';
  const { list, whole, onCancel } = undo;
  const wished = cancel?.compensate ?? onCancel;
  if (!whole) return 'More effects would have to be undone than could be remembered: none of them is.';
  if (list.length === 0) return wished ? 'It has no effect yet that is to be undone.' : 'Its effects stay.';
  const names = some(list.toReversed().map(({ stepId, by }) => `${stepId} by ${by}`));
  if (wished) return `Then its effects are undone, the last one first (${list.length}): ${names}.`;
  return `Its effects stay. With --compensate they would be undone, the last one first (${list.length}): ${names}.`;
};
