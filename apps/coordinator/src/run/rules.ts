/** Rules of the protocol that a test may switch off, to prove that they matter. Nobody else may. */
export type Rules = {
  /** After an unanswered append the same bytes are sent again. */
  readonly sameBytes: boolean;
  /** Whoever holds the seat and is not the owner tries again. */
  readonly tryAgain: boolean;
  /** Reactions after `reactedSeq` are derived again by a new owner. */
  readonly reactAgain: boolean;
  /** `absent` counts only when the asking began after `settledAt`. */
  readonly settleWindow: boolean;
  /** Verdicts count only for the doubt that they name. */
  readonly verdictsOnlyInDoubt: boolean;
  /** A refusal only asks for closing. */
  readonly refusalAsksOnly: boolean;
  /** Effects wait while a doubt holds the run. */
  readonly hold: boolean;
  /** The key window covers every attempt of the step. */
  readonly keyWindow: boolean;
  /** "Did not act" speaks for its own attempt only. */
  readonly outcomeSpeaksForItself: boolean;
  /** Somebody closes at `startBy`. */
  readonly closeAtStartBy: boolean;
  /** What nobody has claimed is closed when the run is paused. */
  readonly pauseCloses: boolean;
  /** A doubt from an unknown outcome waits for the holder's deadline. */
  readonly unknownWaitsForDeadline: boolean;
  /** "Never started" is concluded from a closing claim that is first, not from silence. */
  readonly closeBeforeNeverStarted: boolean;
  /** First claims are judged over all that lies at or after `claimsFrom`. */
  readonly wholeRange: boolean;
  /** A new try is a new attempt. */
  readonly newAttemptId: boolean;
  /** The words of a session about an attempt only climb. */
  readonly wordsClimb: boolean;
  /** Whoever turns out to hold something after it was lost is lost as well. */
  readonly leaseIsALevel: boolean;
  /** No lease runs while heartbeats are not read. */
  readonly noLeaseWhileNotReading: boolean;
  /** Nobody is declared dead before the heartbeats are read to an end fetched afterwards. */
  readonly expiryIsConfirmed: boolean;
  /** What a lost session has said is read before its attempts fall in doubt. */
  readonly journalBeforeDoubt: boolean;
  /** Nothing of a run with a key is scheduled before the key is granted. */
  readonly keyBeforeSteps: boolean;
  /** A key that is granted to a run that is over goes back. */
  readonly returnGrantedKey: boolean;
  /** A run that is stopped stops its children. */
  readonly stopChildren: boolean;
  /** A child whose submission comes too late is not born. */
  readonly noLateBirth: boolean;
  /** Nobody's silence counts before the requests are read to an end fetched after the question's time. */
  readonly answersBeforeExpiry: boolean;
  /** Effects are undone only when nothing of their run is in doubt. */
  readonly neverAroundADoubt: boolean;
  /** What an attempt may use is taken from the limits before it is sent. */
  readonly reserveBeforeDispatch: boolean;
  /** What an attempt in doubt has reserved stays reserved. */
  readonly keptWhileInDoubt: boolean;
  /** A snapshot is believed only if history has what it was taken after. */
  readonly snapshotAnchored: boolean;
};

/** Rules about what a process reads before it says anything to its lanes; the others are kept by the lane itself. */
export const READING_RULES = [
  'wholeRange',
  'leaseIsALevel',
  'noLeaseWhileNotReading',
  'expiryIsConfirmed',
  'journalBeforeDoubt',
  'snapshotAnchored',
] as const satisfies readonly (keyof Rules)[];

export const RULES: Rules = Object.freeze({
  sameBytes: true,
  tryAgain: true,
  reactAgain: true,
  settleWindow: true,
  verdictsOnlyInDoubt: true,
  refusalAsksOnly: true,
  hold: true,
  keyWindow: true,
  outcomeSpeaksForItself: true,
  closeAtStartBy: true,
  pauseCloses: true,
  unknownWaitsForDeadline: true,
  closeBeforeNeverStarted: true,
  wholeRange: true,
  newAttemptId: true,
  wordsClimb: true,
  leaseIsALevel: true,
  noLeaseWhileNotReading: true,
  expiryIsConfirmed: true,
  journalBeforeDoubt: true,
  keyBeforeSteps: true,
  returnGrantedKey: true,
  stopChildren: true,
  noLateBirth: true,
  answersBeforeExpiry: true,
  neverAroundADoubt: true,
  reserveBeforeDispatch: true,
  keptWhileInDoubt: true,
  snapshotAnchored: true,
});
