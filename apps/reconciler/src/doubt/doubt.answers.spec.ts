import {
  absent,
  AFTER_SETTLED,
  answer,
  applied,
  clock,
  evidence,
  given,
  run,
  SETTLED_AT,
  tick,
  view,
} from '../../../../test/support/reconciling.js';

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
