import { absent, answer, append, given, lane, nothing, run, tick, view } from '../../../../test/support/reconciling.js';
import type { DoubtView } from './doubt.view.js';

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
