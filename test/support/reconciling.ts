import { defaultSettings, RULES, type Rules } from '../../apps/reconciler/src/doubt/doubt.rules.js';
import {
  newReconciler,
  type Input,
  type Output,
  type ReconcilerState,
} from '../../apps/reconciler/src/doubt/doubt.state.js';
import { step } from '../../apps/reconciler/src/doubt/doubt.step.js';
import type { Answer } from '../../apps/reconciler/src/doubt/doubt.verdict.js';
import type { DoubtView } from '../../apps/reconciler/src/doubt/doubt.view.js';

export const SETTLED_AT = 10_000;
export const AFTER_SETTLED = SETTLED_AT + 1_001;

export const view = (changes: Partial<DoubtView> = {}): DoubtView => ({
  lane: 3,
  runId: 'run-1',
  stepId: 'write',
  attempt: 0,
  tool: 'records.write@1',
  key: 'k/write',
  doubtSeq: 7,
  settledAt: SETTLED_AT,
  askFrom: 0,
  allInDoubt: true,
  probes: 0,
  ...changes,
});

export const lane = (now: number, ...doubts: DoubtView[]): Input => ({
  type: 'LaneSeen',
  lane: doubts[0]?.lane ?? 3,
  doubts,
  now,
});
export const run = (now: number, ...doubts: DoubtView[]): Input => ({
  type: 'RunSeen',
  lane: 3,
  runId: 'run-1',
  doubts,
  now,
});
export const tick = (now: number, takenTo = 0): Input => ({ type: 'Ticked', taken: { 3: takenTo }, now });
export const clock = (now: number, isProven: boolean): Input => ({ type: 'ClockCompared', isProven, now });
export const answer = (now: number, ask: number, answer: Answer, doubtSeq = 7): Input => ({
  type: 'Answered',
  lane: 3,
  doubtSeq,
  ask,
  answer,
  now,
});
export const append = (now: number, outcome: 'appended' | 'unanswered' | 'refused', probe = 1): Input => ({
  type: 'VerdictAppended',
  lane: 3,
  doubtSeq: 7,
  probe,
  outcome,
  offset: outcome === 'appended' ? 40 : null,
  detail: 'too_large',
  now,
});
export const evidence = { summary: 'looked it up' };
export const applied: Answer = { verdict: 'applied', result: { id: 1 }, evidence };
export const absent: Answer = { verdict: 'absent', evidence };
export const nothing: Answer = { verdict: 'unknown', evidence: { summary: 'no idea' } };

/** Runs a story and keeps what came of each input; proves on the way that the state is plain and never changed in place. */
export const play = (
  inputs: readonly Input[],
  rules: Rules = RULES,
  settings = {},
): { state: ReconcilerState; outputs: Output[] } => {
  let state: ReconcilerState = { ...newReconciler({ ...defaultSettings('me'), ...settings }), isClockProven: true };
  let outputs: readonly Output[] = [];
  for (const input of inputs) {
    const before = JSON.stringify(state);
    const next = step(state, input, rules);
    expect(JSON.stringify(state)).toBe(before);
    expect(JSON.parse(JSON.stringify(next.state))).toEqual(next.state);
    expect(step(state, input, rules)).toEqual(next);
    ({ state, outputs } = next);
  }
  return { state, outputs: [...outputs] };
};

export const given = (...history: Input[]) => ({
  when: (input: Input, rules: Partial<Rules> = {}, settings = {}) => {
    const { outputs } = play([...history, input], { ...RULES, ...rules }, settings);
    const shown = outputs.map((output) => {
      if (output.type === 'Ask') return `ask ${output.ask} about ${output.view.doubtSeq} at ${output.askedAt}`;
      if (output.type === 'StopAsking') return `stop ${output.ask}`;
      const { verdict, probe, askedAt, doubtSeq } = output.judgement;
      return `tell ${verdict} of ${doubtSeq}, probe ${probe}, asked at ${askedAt}`;
    });
    return { gives: (...expected: string[]) => expect(shown).toEqual(expected), outputs };
  },
});
