import type { Output, Input, ReconcilerState } from './doubt.state.js';
import { newReconciler } from './doubt.state.js';
import { defaultSettings, RULES, type Rules } from './doubt.rules.js';
import { step } from './doubt.step.js';
import type { Answer } from './doubt.verdict.js';
import type { DoubtView } from './doubt.view.js';

const SETTLED_AT = 10_000;
const AFTER_SETTLED = SETTLED_AT + 1_001;

const view = (changes: Partial<DoubtView> = {}): DoubtView => ({
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

const lane = (now: number, ...doubts: DoubtView[]): Input => ({
  type: 'LaneSeen',
  lane: doubts[0]?.lane ?? 3,
  doubts,
  now,
});
const run = (now: number, ...doubts: DoubtView[]): Input => ({ type: 'RunSeen', lane: 3, runId: 'run-1', doubts, now });
const tick = (now: number, takenTo = 0): Input => ({ type: 'Ticked', taken: { 3: takenTo }, now });
const clock = (now: number, isProven: boolean): Input => ({ type: 'ClockCompared', isProven, now });
const answer = (now: number, ask: number, answer: Answer, doubtSeq = 7): Input => ({
  type: 'Answered',
  lane: 3,
  doubtSeq,
  ask,
  answer,
  now,
});
const append = (now: number, outcome: 'appended' | 'unanswered' | 'refused', probe = 1): Input => ({
  type: 'VerdictAppended',
  lane: 3,
  doubtSeq: 7,
  probe,
  outcome,
  offset: outcome === 'appended' ? 40 : null,
  detail: 'too_large',
  now,
});
const evidence = { summary: 'looked it up' };
const applied: Answer = { verdict: 'applied', result: { id: 1 }, evidence };
const absent: Answer = { verdict: 'absent', evidence };
const nothing: Answer = { verdict: 'unknown', evidence: { summary: 'no idea' } };

/** Runs a story and keeps what came of each input; proves on the way that the state is plain and never changed in place. */
const play = (
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

const given = (...history: Input[]) => ({
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

const unknownAfter = (probes: number) => [
  run(1, view({ probes })),
  answer(5, 1, nothing),
  append(6, 'appended', probes + 1),
];

const many = (lane: number, from: number, count: number): DoubtView[] =>
  Array.from({ length: count }, (_, at) => view({ lane, doubtSeq: from + at, stepId: `s${from + at}` }));

describe('asking about a doubt', () => {
  it('asks at once when a doubt opens, long before it is settled', () =>
    given().when(run(1, view())).gives('ask 1 about 7 at 1'));

  it('asks one question at a time', () => given(run(1, view())).when(run(2, view())).gives());

  it('asks nothing before the doubt may be asked about', () => {
    given()
      .when(run(1, view({ askFrom: 50 })))
      .gives();
    given(run(1, view({ askFrom: 50 })))
      .when(tick(50))
      .gives('ask 1 about 7 at 50');
  });

  it('asks nothing when there is no doubt', () => given().when(run(1)).gives());

  it('asks again about a new doubt of the same step, and forgets the question about the old one', () =>
    given(run(1, view()))
      .when(run(2, view({ doubtSeq: 9, attempt: 1 })))
      .gives('stop 1', 'ask 2 about 9 at 2'));

  it('forgets a lane that it leaves and asks again when it comes back', () => {
    given(run(1, view())).when({ type: 'LaneLeft', lane: 3, now: 2 }).gives('stop 1');
    given(run(1, view()), { type: 'LaneLeft', lane: 3, now: 2 }).when(lane(3, view())).gives('ask 2 about 7 at 3');
  });
});

describe('taking an answer', () => {
  it('passes on at once that the effect was applied, with what the tool returned', () => {
    const { gives, outputs } = given(run(1, view())).when(answer(5, 1, applied));
    gives('tell applied of 7, probe 1, asked at 1');
    expect(outputs[0]).toMatchObject({
      lane: 3,
      judgement: { attemptId: 'run-1/write/0', attempt: 0, result: { id: 1 }, judgedBy: 'me', evidence },
    });
  });

  it('passes on an absent whose question began after the settle window', () =>
    given(run(AFTER_SETTLED, view()))
      .when(answer(AFTER_SETTLED + 5, 1, absent))
      .gives(`tell absent of 7, probe 1, asked at ${AFTER_SETTLED}`));

  it('keeps an early absent to itself and asks again once it counts', () => {
    const early = [run(1, view()), answer(5, 1, absent)] as const;
    given(run(1, view()))
      .when(answer(5, 1, absent))
      .gives();
    given(...early)
      .when(tick(AFTER_SETTLED - 1))
      .gives();
    given(...early)
      .when(tick(AFTER_SETTLED))
      .gives(`ask 2 about 7 at ${AFTER_SETTLED}`);
  });

  it('does not take an absent as late because its answer was late', () =>
    given(run(SETTLED_AT, view()))
      .when(answer(AFTER_SETTLED, 1, absent))
      .gives('ask 2 about 7 at 11001'));

  it('leaves room for clocks that are apart', () =>
    given(run(SETTLED_AT + 1_000, view()))
      .when(answer(SETTLED_AT + 1_000, 1, absent))
      .gives());

  it('does not take an absent while another attempt of the step may act', () => {
    const open = view({ allInDoubt: false });
    given(run(AFTER_SETTLED, open))
      .when(answer(AFTER_SETTLED + 1, 1, absent))
      .gives();
    given(run(AFTER_SETTLED, view()), run(AFTER_SETTLED + 1, open))
      .when(answer(AFTER_SETTLED + 2, 1, absent))
      .gives();
    given(run(AFTER_SETTLED, open), run(AFTER_SETTLED + 1, view()))
      .when(answer(AFTER_SETTLED + 2, 1, absent))
      .gives('ask 2 about 7 at 11003');
  });

  it('does not take an absent by a clock that nothing has borne out, and asks again once something has', () => {
    const unproven = [clock(1, false), run(AFTER_SETTLED, view())] as const;
    const later = AFTER_SETTLED + 9;
    given(...unproven)
      .when(answer(later, 1, absent))
      .gives();
    given(...unproven, answer(later, 1, absent))
      .when(tick(later + 1))
      .gives();
    given(...unproven, answer(later, 1, absent))
      .when(clock(later + 2, true))
      .gives(`ask 2 about 7 at ${later + 2}`);
    given(...unproven, clock(later - 1, true))
      .when(answer(later, 1, absent))
      .gives(`ask 2 about 7 at ${later}`);
    given(run(AFTER_SETTLED, view()), clock(later - 1, false))
      .when(answer(later, 1, absent))
      .gives();
  });

  it('takes an applied by whatever clock', () =>
    given(clock(1, false), run(1, view()))
      .when(answer(5, 1, applied))
      .gives('tell applied of 7, probe 1, asked at 1'));

  it('drops an answer about a doubt that is settled meanwhile', () => {
    given(run(1, view())).when(run(2)).gives('stop 1');
    given(run(1, view()), run(2))
      .when(answer(3, 1, applied))
      .gives();
  });

  it('drops an answer to a question it no longer waits for', () =>
    given(run(1, view()), tick(10_001))
      .when(answer(10_002, 1, applied))
      .gives());
});

describe('hearing nothing', () => {
  const asked = run(1, view());

  it('records an unknown with the number of the question', () =>
    given(asked)
      .when(answer(5, 1, nothing))
      .gives('tell unknown of 7, probe 1, asked at 1'));

  it('counts on from what history knows, so that two reconcilers use up the probes once', () =>
    given(run(1, view({ probes: 4 })))
      .when(answer(5, 1, nothing))
      .gives('tell unknown of 7, probe 5, asked at 1'));

  it('counts on from its own probes while history lags', () =>
    given(asked, answer(5, 1, nothing), append(6, 'appended'), tick(1_006))
      .when(answer(1_007, 2, nothing))
      .gives('tell unknown of 7, probe 2, asked at 1006'));

  it('asks again after 1 s, then after twice as long each time, up to 60 s', () => {
    given(...unknownAfter(0))
      .when(tick(1_005))
      .gives();
    given(...unknownAfter(0))
      .when(tick(1_006))
      .gives('ask 2 about 7 at 1006');
    given(...unknownAfter(3))
      .when(tick(8_006))
      .gives('ask 2 about 7 at 8006');
    given(...unknownAfter(3))
      .when(tick(8_005))
      .gives();
    given(...unknownAfter(50))
      .when(tick(60_006))
      .gives('ask 2 about 7 at 60006');
  });

  it('takes a question without an answer within 10 s as unknown', () => {
    given(asked).when(tick(10_000)).gives();
    given(asked).when(tick(10_001)).gives('stop 1', 'tell unknown of 7, probe 1, asked at 1');
  });
});

describe('passing on a verdict', () => {
  const told = [run(1, view()), answer(5, 1, applied)] as const;

  it('appends the same again when the append was not answered', () => {
    const { outputs } = given(run(1, view())).when(answer(5, 1, applied));
    given(...told, append(6, 'unanswered'))
      .when(tick(505))
      .gives();
    const again = given(...told, append(6, 'unanswered')).when(tick(506));
    expect(again.outputs).toEqual(outputs);
  });

  it('stops appending when the doubt is settled', () =>
    given(...told, append(6, 'unanswered'), run(7))
      .when(tick(10_000))
      .gives());

  it('gives one definitive verdict, however long history takes to know it', () =>
    given(...told, append(6, 'appended'), run(7, view()), lane(8, view()))
      .when(tick(3_600_000))
      .gives());

  it('asks again, after a pause, when the verdict was taken and the doubt is open all the same', () => {
    const dropped = [run(AFTER_SETTLED, view()), answer(AFTER_SETTLED, 1, absent), append(12_000, 'appended')];
    given(...dropped)
      .when(tick(3_600_000, 40))
      .gives();
    given(...dropped, tick(12_500, 41))
      .when(tick(13_499, 41))
      .gives();
    given(...dropped, tick(12_500, 41))
      .when(tick(13_500, 41))
      .gives('ask 2 about 7 at 13500');
    given(...dropped, tick(12_500, 41), tick(13_500, 41))
      .when(answer(13_501, 2, absent))
      .gives('tell absent of 7, probe 2, asked at 13500');
  });

  it('remembers its verdict when the lane goes and comes back', () =>
    given(...told, append(6, 'appended'), { type: 'LaneLeft', lane: 3, now: 7 })
      .when(lane(8, view()))
      .gives());

  it('forgets the verdict as soon as the doubt is settled', () =>
    expect(play([...told, append(6, 'appended'), run(7)]).state.lanes).toEqual({}));

  it('says unknown where the log refuses the verdict', () =>
    given(...told)
      .when(append(6, 'refused'))
      .gives('tell unknown of 7, probe 1, asked at 1'));
});

describe('sharing the questions', () => {
  it('asks at most so many at the same time, and the next as soon as one ends', () => {
    given()
      .when(lane(1, ...many(3, 1, 40)), {}, { questionsMax: 2 })
      .gives('ask 1 about 1 at 1', 'ask 2 about 2 at 1');
    given(lane(1, ...many(3, 1, 40)))
      .when(answer(2, 1, absent, 1), {}, { questionsMax: 2 })
      .gives('ask 3 about 3 at 2');
  });

  it('gives each lane its turn', () =>
    given(lane(1, ...many(3, 1, 40)), lane(2, ...many(5, 100, 3)))
      .when(answer(3, 1, absent, 1), {}, { questionsMax: 1 })
      .gives('ask 2 about 100 at 3'));
});

describe('each rule, switched off, does harm', () => {
  it('absentOnlyAfterSettled: an effect still under way is judged absent', () =>
    given(run(1, view()))
      .when(answer(5, 1, absent), { absentOnlyAfterSettled: false })
      .gives('tell absent of 7, probe 1, asked at 1'));

  it('oneDefinitiveVerdict: the topic is flooded while the coordinator lags', () =>
    given(run(1, view()), answer(5, 1, applied), append(6, 'appended'))
      .when(tick(1_006), { oneDefinitiveVerdict: false })
      .gives('ask 2 about 7 at 1006'));

  it('askedAtBeforeQuestion: a question sent before the settle window seems to come after it', () =>
    given(run(1, view()))
      .when(answer(AFTER_SETTLED, 1, absent), { askedAtBeforeQuestion: false }, { questionMs: 1e9 })
      .gives(`tell absent of 7, probe 1, asked at ${AFTER_SETTLED}`));

  it('onlyWhileInDoubt: an answer about a later attempt is taken for an earlier one', () => {
    const off = { ...RULES, onlyWhileInDoubt: false };
    const { outputs } = play([run(1, view()), run(2), answer(3, 1, applied)], off);
    expect(outputs).toMatchObject([{ type: 'AppendVerdict', judgement: { verdict: 'applied', doubtSeq: 7 } }]);
  });
});
