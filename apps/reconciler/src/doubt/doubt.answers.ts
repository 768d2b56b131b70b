import { backoffMs, type Rules } from './doubt.rules.js';
import { withQuestion } from './doubt.levels.js';
import type { Input, Phase, Question, ReconcilerState, Stepped } from './doubt.state.js';
import { judgement, unknown, type Answer, type Judgement } from './doubt.verdict.js';

type Answered = { readonly answer: Answer; readonly now: number };
type Asking = Extract<Phase, { name: 'asking' }>;

/** Takes an answer, unless nobody waits for it any more. */
export const answered = (
  state: ReconcilerState,
  input: Extract<Input, { type: 'Answered' }>,
  rules: Rules,
): Stepped => {
  const question = state.lanes[input.lane]?.[input.doubtSeq];
  if (question?.phase.name !== 'asking' || question.phase.ask !== input.ask) return { state, outputs: [] };
  return concluded(state, { question, asking: question.phase }, input, rules);
};

/** What follows from the end of a question: a verdict, or waiting until an `absent` would count. */
export const concluded = (
  state: ReconcilerState,
  { question, asking }: { readonly question: Question; readonly asking: Asking },
  { answer, now }: Answered,
  rules: Rules,
): Stepped => {
  const { view } = question;
  const askedAt = rules.askedAtBeforeQuestion ? asking.askedAt : now;
  if (answer.verdict === 'absent' && rules.absentOnlyAfterSettled && !counts(state, question, asking, askedAt)) {
    const phase: Phase = { name: 'waiting', askAt: now, early: true };
    return { state: withQuestion(state, view, { ...question, phase }), outputs: [] };
  }
  // History may know of probes of another reconciler: numbers go on from the highest.
  const probe = Math.max(question.probe, view.probes) + 1;
  const told = judgement(view, answer, { askedAt, probe, judgedBy: state.settings.judgedBy });
  return telling(state, { ...question, probe }, told);
};

const counts = (state: ReconcilerState, question: Question, asking: Asking, askedAt: number): boolean =>
  asking.mayCount && absentCounts(state, question, askedAt);

/** Whether an `absent` to a question that begins now would be about a world in which nothing can land any more. */
export const absentCounts = (state: ReconcilerState, { view }: Question, now: number): boolean =>
  state.isClockProven && view.allInDoubt && now > view.settledAt + state.settings.skewMs;

const telling = (state: ReconcilerState, question: Question, told: Judgement): Stepped => ({
  state: withQuestion(state, question.view, {
    ...question,
    phase: { name: 'telling', judgement: told, repeatAt: null },
  }),
  outputs: [{ type: 'AppendVerdict', lane: question.view.lane, judgement: told }],
});

/** Takes what became of an append. Without an answer the same verdict is appended again: twice is harmless, lost is not. */
export const appended = (
  state: ReconcilerState,
  input: Extract<Input, { type: 'VerdictAppended' }>,
  rules: Rules,
): Stepped => {
  const question = state.lanes[input.lane]?.[input.doubtSeq];
  if (question?.phase.name !== 'telling' || question.phase.judgement.probe !== input.probe)
    return { state, outputs: [] };
  const { phase } = question;
  const definitive = phase.judgement.verdict !== 'unknown';
  if (input.outcome === 'unanswered') {
    const repeat: Phase = { ...phase, repeatAt: input.now + state.settings.repeatMs };
    return { state: withQuestion(state, question.view, { ...question, phase: repeat }), outputs: [] };
  }
  if (input.outcome === 'refused' && definitive) {
    const { askedAt, probe, judgedBy } = phase.judgement;
    const answer = unknown(`the verdict ${phase.judgement.verdict} could not be written: ${input.detail}`);
    return telling(state, question, judgement(question.view, answer, { askedAt, probe, judgedBy }));
  }
  const verdict = { offset: definitive ? input.offset : null, now: input.now };
  return { state: withQuestion(state, question.view, after(state, question, verdict, rules)), outputs: [] };
};

const after = (
  state: ReconcilerState,
  question: Question,
  { offset, now }: { readonly offset: number | null; readonly now: number },
  rules: Rules,
): Question | null => {
  if (!question.inDoubt) return null;
  if (offset !== null && rules.oneDefinitiveVerdict) return { ...question, phase: { name: 'told', offset } };
  const askAt = now + backoffMs(state.settings, offset !== null ? 1 : question.probe);
  return { ...question, phase: { name: 'waiting', askAt, early: false } };
};

/**
 * A doubt that is still open after its definitive verdict was taken has had it dropped, as when the coordinator's clock
 * was behind: it is asked about again.
 */
export const verdictsTaken = (state: ReconcilerState, input: Extract<Input, { type: 'Ticked' }>): Stepped => {
  let next = state;
  for (const question of Object.values(state.lanes).flatMap((questions) => Object.values(questions))) {
    const { phase, view, probe } = question;
    if (phase.name !== 'told' || phase.offset >= (input.taken[view.lane] ?? 0)) continue;
    const askAt = input.now + backoffMs(state.settings, probe);
    next = withQuestion(next, view, { ...question, phase: { name: 'waiting', askAt, early: true } });
  }
  return { state: next, outputs: [] };
};
