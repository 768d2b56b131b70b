import type { Rules } from './rules.js';
import { claimedBy, closed, looked, order, Scenario } from './testing/scenario.js';

/** The same story twice: as the rule wants it, and with the rule switched off, where it goes wrong. */
const matters = <Seen>(
  rule: keyof Rules,
  title: string,
  story: (given: (settings?: Parameters<typeof Scenario.ready>[1]) => Scenario) => Seen,
  expected: { kept: Seen; broken: Seen },
): void => {
  describe(rule, () => {
    it(title, () => expect(story((settings) => Scenario.ready({}, settings))).toEqual(expected.kept));
    it('goes wrong without the rule', () =>
      expect(story((settings) => Scenario.ready({ [rule]: false }, settings))).toEqual(expected.broken));
  });
};

matters(
  'claimBeforeCall',
  'calls nothing before its claim is known to be first',
  (given) => given().reads(order('a')).calls(),
  {
    kept: [],
    broken: ['a'],
  },
);

matters(
  'firstClaimWins',
  'stands back when another claim was first, and says nothing',
  (given) => {
    const executor = given().reads(order('a')).landed(1);
    executor.seesClaims(0, claimedBy('other', 'a'), claimedBy('S0', 'a'));
    return { calls: executor.calls(), words: executor.words() };
  },
  { kept: { calls: [], words: [] }, broken: { calls: ['a'], words: [] } },
);

matters(
  'gapIsRead',
  'does not take its claim for first while something unread lies before it',
  (given) => given().reads(order('a')).landed(1).calls(),
  { kept: [], broken: ['a'] },
);

matters(
  'closedObeyed',
  'never acts for an attempt that was closed first',
  (given) => given().reads(order('a')).landed(1).seesClaims(0, closed('a'), claimedBy('S0', 'a')).calls(),
  { kept: [], broken: ['a'] },
);

matters(
  'claimsFromObeyed',
  'reads the claims down to where those of an older command may lie',
  (given) => {
    const executor = given()
      .reads(order('b', { claimsFrom: 5 }))
      .landed(5)
      .reads(order('a', { claimsFrom: 3 }));
    if (executor.of('read-claims').length > 0) executor.seesEarlierClaims(3, claimedBy('other', 'a'), looked);
    else executor.landed(6);
    return executor.calls();
  },
  { kept: ['b'], broken: ['b', 'a'] },
);

matters(
  'rangeNeverShortened',
  'keeps the range that it read when a partition comes back (H2b)',
  (given) => {
    const executor = given().reads(order('a')).unanswered().losesSeat().gainsSeat(1);
    executor.reads(order('b', { claimsFrom: 2 }));
    return executor.seesClaims(0, claimedBy('other', 'a'), looked, claimedBy('S0', 'a')).calls();
  },
  { kept: [], broken: ['a'] },
);

matters(
  'oneCallPerClaim',
  'ignores another copy of the command of an own attempt (H9)',
  (given) => {
    const executor = given().reads(order('a')).landed(0).ends('a').journaled('a').reads(order('a'));
    return { calls: executor.calls(), words: executor.words(), position: executor.position() };
  },
  {
    kept: { calls: ['a'], words: ['AttemptSucceeded a'], position: 2 },
    broken: { calls: ['a', 'a'], words: ['AttemptSucceeded a'], position: 2 },
  },
);

matters(
  'repeatUntilSeen',
  'sends an unanswered claim again, the same to the byte',
  (given) => {
    const executor = given().reads(order('a')).wait(100).unanswered();
    const [first, second] = executor.of('append-claims');
    return { again: executor.claims().length, same: JSON.stringify(first?.claims) === JSON.stringify(second?.claims) };
  },
  { kept: { again: 2, same: true }, broken: { again: 1, same: false } },
);

matters(
  'sameDeadlineInRepeats',
  'goes by the deadline that everybody reads, though it landed first (V3)',
  (given) => {
    const executor = given().reads(order('a')).wait(1_000).unanswered();
    const said = executor.of('append-claims').map(({ claims }) => claims[0]?.deadline);
    return said[0] === said[1];
  },
  { kept: true, broken: false },
);

matters(
  'claimOnlyWhatCanStart',
  'claims no more than its free slots can start',
  (given) => given({ concurrency: 2 }).reads(order('a'), order('b'), order('c')).claims(),
  { kept: [['a', 'b']], broken: [['a', 'b', 'c']] },
);

matters(
  'checksBeforeCall',
  'does not call when `startBy` passed while its claim was on its way (H6)',
  (given) => {
    const executor = given()
      .reads(order('a', { startBy: 1_001_000 }))
      .wait(1_000)
      .beats()
      .landed(0);
    return { calls: executor.calls(), words: executor.words() };
  },
  { kept: { calls: [], words: ['AttemptSkipped a'] }, broken: { calls: ['a'], words: [] } },
);

matters(
  'keyWindowChecked',
  'does not use a key that its tool may have forgotten by then',
  (given) => {
    const executor = given()
      .reads(order('a', { policy: 'keyed', keyValidUntil: 1_004_999 }))
      .landed(0);
    return { calls: executor.calls(), words: executor.words() };
  },
  { kept: { calls: [], words: ['AttemptSkipped a'] }, broken: { calls: ['a'], words: [] } },
);

matters(
  'heartbeatFresh',
  'claims nothing on an old heartbeat',
  (given) => given().wait(2_500).reads(order('a')).claims(),
  { kept: [], broken: [['a']] },
);

matters(
  'onlyHolderTestifies',
  'leaves it to the holder to say what became of an attempt (H4)',
  (given) => given().reads(order('a')).landed(1).seesClaims(0, claimedBy('other', 'a'), claimedBy('S0', 'a')).words(),
  { kept: [], broken: ['AttemptSkipped a'] },
);

matters(
  'dropPastStartBy',
  'drops a copy unread when nobody may start it any more',
  (given) => {
    const executor = given().reads(order('a')).landed(0).ends('a').journaled('a').live(62_000);
    executor.reads(order('a'));
    return executor.claims().length;
  },
  { kept: 1, broken: 2 },
);

matters(
  'pureReportedFirst',
  'passes a pure command only when its outcome is acknowledged',
  (given) =>
    given()
      .reads(order('a', { policy: 'pure' }))
      .position(),
  { kept: 0, broken: 1 },
);

matters(
  'lostRecordsAreDefects',
  'stops a partition whose acknowledged records are gone',
  (given) => {
    const executor = given()
      .reads(order('a', { claimsFrom: 7 }))
      .landed(5);
    return { calls: executor.calls(), words: executor.words(), defects: executor.of('partition-defect').length };
  },
  { kept: { calls: [], words: [], defects: 1 }, broken: { calls: [], words: [], defects: 0 } },
);
