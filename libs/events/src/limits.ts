/** Every limit and default in one place. Durations in ms, sizes in bytes, counts without unit. */
export const LIMITS = {
  inlineValueBytes: 256 * 1024,
  decisionBytes: 900 * 1024,
  recordBytes: 1_000_000,
  /** Program and input of one run together. */
  submissionBytes: 512 * 1024,
  /** The same with what agents tell their models about the tools of the catalogue. */
  acceptedBytes: 768 * 1024,
  /** Arguments of one call, put together from input and results. */
  argsBytes: 768 * 1024,
  /** Levels of arrays and objects in one record; deeper ones are refused. */
  jsonDepth: 100,
  /** Levels in arguments and outputs that the runtime itself puts together. */
  valueDepth: 80,
  /** The longest time that a run may take, or that anybody may tell it to wait, ms. */
  waitMs: 365 * 86_400_000,
  evidenceBytes: 8 * 1024,
  runIdLength: 200,
  /** The path of a step that begins a run. */
  stepIdLength: 4_000,
  labelsMax: 32,
  /** Entries that a list of an effects report names; beyond that it only counts. */
  reportEntriesMax: 100,
  /** Attempts whose conclusion a run remembers, to notice a word to the contrary. */
  concludedMax: 1_000,
  /** Budgets of tenants that a lane holds, and runs that live on one of them at the same time. */
  tenantsMax: 1_000,
  tenantRunsMax: 10_000,
  /** Runs of one tenant that are over and remembered for some minutes; beyond that new ones wait. */
  tenantRunsOverMax: 100_000,
  /** Cancels that came before their run, which a lane remembers: so many of children, and so many of others. */
  cancelsRememberedMax: 10_000,
  concurrencyKeyLength: 200,
  /** Effects of one run that are remembered so that they can be undone, and what they hold in all. */
  undoableMax: 1_000,
  undoableBytes: 192 * 1024,
  /** Runs in runs in runs. */
  depthMax: 8,
  /** Runs that one run has begun and that are not over. */
  childrenOpenMax: 256,
  /** Concurrency keys that one lane looks after. */
  keysMax: 10_000,
  /** Keys that nobody has, of which it remembers the generation. */
  keysIdleMax: 1_000,
  /** Runs that wait for one key. */
  keyQueueMax: 256,
  /** Cancels of many runs that a lane works on at the same time. */
  bulkCancelsMax: 16,
  /** What is shown to a person beside a question: the arguments of a call to approve, or what a plan tells. */
  contextBytes: 64 * 1024,
  /** What a plan asks, or wants leave for, at the same time; what is asked about what has happened is not put off. */
  questionsOpenMax: 256,
  remindersMax: 100,
  /** Steps by whose names a fork may allow that effects are made again. */
  forkRepeatMax: 100,
  /** Questions over which a live run, and one that has ended, remembers who decided. */
  answeredMax: 64,
  answeredKeptMax: 8,
  /** Events without acknowledged reactions that a snapshot of a lane may hold: beyond that none is taken. */
  snapshotUnreactedMax: 5_000,
} as const;

export const DEFAULTS = {
  lanes: 12,
  skewMs: 1_000,
  graceMs: 2_000,
  settleMs: 5_000,
  heartbeatMs: 500,
  leaseMs: 3_000,
  probeFirstMs: 1_000,
  probeMaxMs: 60_000,
  probesMax: 20,
  triesMax: 3,
  deathsMax: 3,
  backoffFirstMs: 1_000,
  backoffMaxMs: 60_000,
  backoffFactor: 2,
  cancelMs: 30_000,
  endLeadMs: 500,
  escalationMs: 86_400_000,
  /** How long an approval may be used once it was given. */
  approvalMs: 86_400_000,
  runMs: 86_400_000,
  startByMs: 60_000,
  settleByMs: 15 * 60_000,
  drainMs: 10_000,
  snapshotEvents: 10_000,
  snapshotEveryMs: 30_000,
  runIdMemoryMs: 30 * 86_400_000,
  /** How long a cancel that came before its run waits for it. */
  cancelMemoryMs: 10 * 60_000,
  requestMemoryMs: 7 * 86_400_000,
  /** A child that its lane reads later is not born. Shorter than a cancel that came before its run is remembered. */
  childBornMs: 5 * 60_000,
  /** How long the highest generation of a key that nobody has is remembered. */
  keyMemoryMs: 30 * 86_400_000,
  /** A holder of a key that others want is asked again after this time whether it still lives. */
  keyAskAgainMs: 5 * 60_000,
  startedAfterMs: 250,
  /** How long a run waits for the answer of its tenant before it asks again, and how old an asking may be. */
  grantAgainMs: 5 * 60_000,
  grantMemoryMs: 10 * 60_000,
  /** What a run may use where nobody says otherwise. Idle time is then bounded by the run's deadline alone. */
  budget: {
    steps: 1_000_000,
    effects: 1_000_000,
    children: 100_000,
    calls: 2_000_000,
    tokensIn: 1_000_000_000,
    tokensOut: 100_000_000,
    /** In each currency. */
    money: '1000',
    depth: 8,
  },
} as const;
