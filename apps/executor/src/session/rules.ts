/** The rules that keep an effect from being made twice. Only tests switch one off, to prove that it matters. */
export type Rules = {
  /** A call of anything but `pure` waits until its claim is known to be first. */
  readonly claimBeforeCall: boolean;
  /** The first claim in log order wins, whoever finds its own one later. */
  readonly firstClaimWins: boolean;
  /** A first claim `closed` means that nobody ever acts. */
  readonly closedObeyed: boolean;
  /** "First" is judged over everything from the order's `claimsFrom` on. */
  readonly claimsFromObeyed: boolean;
  /** An own claim is judged only when everything before it was read, or is known to be nothing. */
  readonly gapIsRead: boolean;
  /** Taking a partition again goes on with the range that was read; it never starts a new one. */
  readonly rangeNeverShortened: boolean;
  /** Holding a claim permits one call; a copy of the command changes nothing. */
  readonly oneCallPerClaim: boolean;
  /** A claim without an answer is sent again until it is seen. */
  readonly repeatUntilSeen: boolean;
  /** A repeat says the same deadline. */
  readonly sameDeadlineInRepeats: boolean;
  /** Claim no more than free slots can start at once. */
  readonly claimOnlyWhatCanStart: boolean;
  /** `startBy`, deadline and abort are checked in one place, just before the call. */
  readonly checksBeforeCall: boolean;
  /** A key is used only while its tool remembers it. */
  readonly keyWindowChecked: boolean;
  /** Nothing is claimed or begun on an old heartbeat, and a gap longer than the lease drains the session. */
  readonly heartbeatFresh: boolean;
  /** Nobody but the holder of the claim says what became of an attempt. */
  readonly onlyHolderTestifies: boolean;
  /** A command whose `startBy` is past is dropped unread. */
  readonly dropPastStartBy: boolean;
  /** The position passes a `pure` command only when its outcome is acknowledged. */
  readonly pureReportedFirst: boolean;
  /** An own claim acknowledged below `claimsFrom` means that acknowledged records are gone. */
  readonly lostRecordsAreDefects: boolean;
};

export const RULES: Rules = Object.freeze({
  claimBeforeCall: true,
  firstClaimWins: true,
  closedObeyed: true,
  claimsFromObeyed: true,
  gapIsRead: true,
  rangeNeverShortened: true,
  oneCallPerClaim: true,
  repeatUntilSeen: true,
  sameDeadlineInRepeats: true,
  claimOnlyWhatCanStart: true,
  checksBeforeCall: true,
  keyWindowChecked: true,
  heartbeatFresh: true,
  onlyHolderTestifies: true,
  dropPastStartBy: true,
  pureReportedFirst: true,
  lostRecordsAreDefects: true,
});
