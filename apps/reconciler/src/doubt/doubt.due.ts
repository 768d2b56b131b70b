import { absentCounts, concluded } from './doubt.answers.js';
import { withQuestion } from './doubt.levels.js';
import type { Rules } from './doubt.rules.js';
import type { Output, Phase, Question, ReconcilerState, Stepped } from './doubt.state.js';
import { unknown } from './doubt.verdict.js';

/** Everything that is due now: questions that took too long, verdicts to append again, questions to ask. */
export const due = (state: ReconcilerState, now: number, rules: Rules): Stepped => {
  const ended = endLateQuestions(state, now, rules);
  const repeated = repeatVerdicts(ended.state, now);
  const asked = askNext(repeated.state, now);
  return { state: asked.state, outputs: [...ended.outputs, ...repeated.outputs, ...asked.outputs] };
};

const allOf = (state: ReconcilerState): readonly Question[] =>
  Object.values(state.lanes).flatMap((questions) => Object.values(questions));

const endLateQuestions = (before: ReconcilerState, now: number, rules: Rules): Stepped => {
  const { questionMs } = before.settings;
  let state = before;
  const outputs: Output[] = [];
  for (const question of allOf(before)) {
    const { phase } = question;
    if (phase.name !== 'asking' || now < phase.askedAt + questionMs) continue;
    const answer = unknown(`the tool ${question.view.tool} gave no answer within ${questionMs} ms`);
    const ended = concluded(state, { question, asking: phase }, { answer, now }, rules);
    state = ended.state;
    outputs.push({ type: 'StopAsking', ask: phase.ask }, ...ended.outputs);
  }
  return { state, outputs };
};

const repeatVerdicts = (before: ReconcilerState, now: number): Stepped => {
  let state = before;
  const outputs: Output[] = [];
  for (const question of allOf(before)) {
    const { phase, view } = question;
    if (phase.name !== 'telling' || phase.repeatAt === null || now < phase.repeatAt) continue;
    state = withQuestion(state, view, { ...question, phase: { ...phase, repeatAt: null } });
    outputs.push({ type: 'AppendVerdict', lane: view.lane, judgement: phase.judgement });
  }
  return { state, outputs };
};

/** Asks what is due, lane by lane in turn, so that a lane with many doubts does not keep the others waiting. */
const askNext = (before: ReconcilerState, now: number): Stepped => {
  let state = before;
  const outputs: Output[] = [];
  let free = before.settings.questionsMax - allOf(before).filter(({ phase }) => phase.name === 'asking').length;
  const turns = free > 0 ? dueByTurn(before, now) : [];
  while (free > 0 && turns.length > 0) {
    const questions = turns.shift() as Question[];
    const question = questions.shift() as Question;
    const { view } = question;
    const ask = state.asked + 1;
    const phase: Phase = { name: 'asking', ask, askedAt: now, mayCount: view.allInDoubt && state.isClockProven };
    state = { ...withQuestion(state, view, { ...question, phase }), asked: ask, servedLane: view.lane };
    outputs.push({ type: 'Ask', ask, view, askedAt: now });
    if (questions.length > 0) turns.push(questions);
    free -= 1;
  }
  return { state, outputs };
};

/** The questions due of each lane, oldest first; the lane after the one served last comes first. */
const dueByTurn = (state: ReconcilerState, now: number): Question[][] => {
  const lanes = Object.keys(state.lanes).map(Number);
  const after = (lane: number): number => (lane > state.servedLane ? 0 : 1);
  return lanes
    .toSorted((a, b) => after(a) - after(b) || a - b)
    .map((lane) => dueOf(state, lane, now))
    .filter((questions) => questions.length > 0);
};

const dueOf = (state: ReconcilerState, lane: number, now: number): Question[] =>
  Object.values(state.lanes[lane] ?? {})
    .filter((question) => isDue(state, question, now))
    .toSorted((a, b) => askAtOf(a) - askAtOf(b) || a.view.doubtSeq - b.view.doubtSeq);

const askAtOf = ({ phase }: Question): number => (phase.name === 'waiting' ? phase.askAt : 0);

const isDue = (state: ReconcilerState, question: Question, now: number): boolean => {
  const { phase, view } = question;
  if (phase.name !== 'waiting' || !question.inDoubt || now < phase.askAt || now < view.askFrom) return false;
  return !phase.early || absentCounts(state, question, now);
};
