import {
  absent,
  AFTER_SETTLED,
  answer,
  append,
  applied,
  given,
  lane,
  play,
  run,
  tick,
  view,
} from '../../../../test/support/reconciling.js';

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
