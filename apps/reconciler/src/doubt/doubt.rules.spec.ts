import {
  absent,
  AFTER_SETTLED,
  answer,
  append,
  applied,
  given,
  play,
  run,
  tick,
  view,
} from '../../../../test/support/reconciling.js';
import { RULES } from './doubt.rules.js';

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
