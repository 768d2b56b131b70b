import type { Rules } from './doubt.rules.js';
import type { Input, LaneQuestions, Output, Question, ReconcilerState, Stepped } from './doubt.state.js';
import type { DoubtView } from './doubt.view.js';

type Seen = Extract<Input, { type: 'LaneSeen' | 'RunSeen' }>;

/** Takes over what history says now about the doubts of a lane or of one run. */
export const seen = (state: ReconcilerState, input: Seen, rules: Rules): Stepped => {
  const outputs: Output[] = [];
  const questions: Record<string, Question> = {};
  const now = new Map(input.doubts.map((view) => [String(view.doubtSeq), view]));
  for (const [seq, known] of Object.entries(state.lanes[input.lane] ?? {})) {
    const view = now.get(seq);
    const concerned = input.type === 'LaneSeen' || known.view.runId === input.runId;
    if (!concerned) questions[seq] = known;
    else if (view !== undefined) questions[seq] = { ...known, view, inDoubt: true };
    else if (!rules.onlyWhileInDoubt && isUnderWay(known)) questions[seq] = { ...known, inDoubt: false };
    // An answer to a settled question would be about the attempts that came after it: they share its key.
    else outputs.push(...stop(known));
  }
  for (const [seq, view] of now) questions[seq] ??= opened(view, input.now);
  return { state: withLane(state, input.lane, questions), outputs };
};

const opened = (view: DoubtView, now: number): Question => ({
  view,
  inDoubt: true,
  probe: view.probes,
  phase: { name: 'waiting', askAt: now, early: false },
});

/** Forgets a lane, but not which of its doubts have had their verdict: the lane may come back. */
export const left = (state: ReconcilerState, lane: number): Stepped => {
  const known = Object.entries(state.lanes[lane] ?? {});
  const told = known.filter(([, question]) => question.phase.name === 'told');
  return {
    state: withLane(state, lane, Object.fromEntries(told)),
    outputs: known.flatMap(([, question]) => stop(question)),
  };
};

const isUnderWay = (question: Question): boolean =>
  question.phase.name === 'asking' || question.phase.name === 'telling';

const stop = ({ phase }: Question): readonly Output[] =>
  phase.name === 'asking' ? [{ type: 'StopAsking', ask: phase.ask }] : [];

/** The state with the questions of one lane replaced. A lane without any takes no room. */
export const withLane = (state: ReconcilerState, lane: number, questions: LaneQuestions): ReconcilerState => {
  const { [String(lane)]: _, ...others } = state.lanes;
  return { ...state, lanes: Object.keys(questions).length === 0 ? others : { ...others, [String(lane)]: questions } };
};

/** The state with one question replaced, or removed with null. */
export const withQuestion = (
  state: ReconcilerState,
  place: { readonly lane: number; readonly doubtSeq: number },
  question: Question | null,
): ReconcilerState => {
  const { [String(place.doubtSeq)]: _, ...others } = state.lanes[place.lane] ?? {};
  return withLane(state, place.lane, question === null ? others : { ...others, [String(place.doubtSeq)]: question });
};
