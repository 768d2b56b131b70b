import type { Settings } from './doubt.rules.js';
import type { Answer, Judgement } from './doubt.verdict.js';
import type { DoubtView } from './doubt.view.js';

/** What a reconciler knows: the doubts of its lanes and how far it is with each. Plain data, never mutated. */
export type ReconcilerState = {
  readonly settings: Settings;
  /** Questions by lane, then by the number of the doubt. */
  readonly lanes: Readonly<Record<string, LaneQuestions>>;
  /** Questions asked so far; numbers the next one. */
  readonly asked: number;
  /** The lane that was served last, so that the next one has its turn. */
  readonly servedLane: number;
  /** Whether the broker has borne the clock out of late: only then `now` says when a question began. */
  readonly isClockProven: boolean;
};

export type LaneQuestions = Readonly<Record<string, Question>>;

export type Question = {
  readonly view: DoubtView;
  /** False once history has settled the doubt; such a question is kept only when a rule is off. */
  readonly inDoubt: boolean;
  /** The last number that a verdict of this process carried. */
  readonly probe: number;
  readonly phase: Phase;
};

export type Phase =
  /** `early`: the tool said absent too early, so it is asked again only once that would count. */
  | { readonly name: 'waiting'; readonly askAt: number; readonly early: boolean }
  /** `mayCount`: whether an `absent` could count as things were when the question began. */
  | { readonly name: 'asking'; readonly ask: number; readonly askedAt: number; readonly mayCount: boolean }
  /** `repeatAt`: when to append the same verdict again; null while its append is under way. */
  | { readonly name: 'telling'; readonly judgement: Judgement; readonly repeatAt: number | null }
  /** `offset`: of the verdict in its topic. */
  | { readonly name: 'told'; readonly offset: number };

export type Input =
  /** All doubts of a lane, as soon as its history has been read to the end. */
  | { readonly type: 'LaneSeen'; readonly lane: number; readonly doubts: readonly DoubtView[]; readonly now: number }
  /** All doubts of one run, after its history has grown. */
  | {
      readonly type: 'RunSeen';
      readonly lane: number;
      readonly runId: string;
      readonly doubts: readonly DoubtView[];
      readonly now: number;
    }
  /** Another reconciler has the lane. */
  | { readonly type: 'LaneLeft'; readonly lane: number; readonly now: number }
  /** `taken`: by lane, up to where its coordinator has taken verdicts, by a history of which all doubts are known here. */
  | { readonly type: 'Ticked'; readonly taken: Readonly<Record<string, number>>; readonly now: number }
  | {
      readonly type: 'Answered';
      readonly lane: number;
      readonly doubtSeq: number;
      readonly ask: number;
      readonly answer: Answer;
      readonly now: number;
    }
  /** What became of an append. `refused` proves that nothing was written. */
  | {
      readonly type: 'VerdictAppended';
      readonly lane: number;
      readonly doubtSeq: number;
      readonly probe: number;
      readonly outcome: 'appended' | 'unanswered' | 'refused';
      /** Where it is when it was appended, else null. */
      readonly offset: number | null;
      readonly detail: string;
      readonly now: number;
    }
  | { readonly type: 'ClockCompared'; readonly isProven: boolean; readonly now: number };

export type Output =
  /** `askedAt` was taken before this output existed, so before the question is sent. */
  | { readonly type: 'Ask'; readonly ask: number; readonly view: DoubtView; readonly askedAt: number }
  /** Nobody waits for the answer any more. */
  | { readonly type: 'StopAsking'; readonly ask: number }
  | { readonly type: 'AppendVerdict'; readonly lane: number; readonly judgement: Judgement };

export type Stepped = { readonly state: ReconcilerState; readonly outputs: readonly Output[] };

export const newReconciler = (settings: Settings): ReconcilerState => ({
  settings,
  lanes: {},
  asked: 0,
  servedLane: -1,
  isClockProven: false,
});
