import type { Conclusion } from './concluded.js';
import type { ApprovalRule, Asking, Json, Plan, Progress } from '@holdfast/programs';
import type { Amounts } from '../budget/amounts.js';
import type { LoopWatch, RunBudget } from '../budget/budget.state.js';
import type { Trace } from '../trace.js';
import type { ReplayPolicy, ToolPin } from '../policy.js';
import type { Parent } from './child.events.js';
import type { Concurrency, KeyDenial } from './key.events.js';
import type { EffectsReport, EndReason, Reservation, RunEventData } from './run.events.js';
import type { Approval, ClosedQuestion, Escalation } from './escalation.state.js';
import type { Undo } from './undo.js';

/** What must be known to decide what follows, and nothing else. Plain data; never mutated. */
export type RunState = LiveRun | EndedRun;

export type LiveRun = {
  readonly status: 'running' | 'cancelling' | 'closing';
  readonly runId: string;
  readonly requestId: string;
  readonly requestHash: string;
  /** Number of the event that accepted it in its lane. */
  readonly acceptedSeq: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly runKey: string;
  readonly program: Plan;
  readonly input: Json;
  readonly tools: Readonly<Record<string, ToolPin>>;
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  /** The calls that need a person's approval: the submitter's rules, then those of the program. */
  readonly approvals: readonly ApprovalRule[];
  /** Whom to ask where nothing else says it. */
  readonly asking: Asking;
  readonly progress: Progress;
  /**
   * Steps that are open: scheduled at least once, not finished. An array in the order in which they were opened: each
   * event copies it, and that is cheap for an array, while an object with so many changing keys is copied key by key.
   */
  readonly steps: readonly StepState[];
  readonly escalations: Readonly<Record<string, Escalation>>;
  /** Questions that are over, the latest last: whoever answers one of them learns who was first. */
  readonly closedQuestions: readonly ClosedQuestion[];
  readonly cancel: Cancel | null;
  /** Nothing new starts until somebody resumes it. */
  readonly paused: Pause | null;
  /** What the run says it waits for, e.g. an executor for a tool. */
  readonly waiting: { readonly waitingFor: string; readonly since: number } | null;
  /** Attempts that were taken not to have acted, by `stepId/attempt`: a later good outcome contradicts them. */
  readonly concluded: Readonly<Record<string, Conclusion>>;
  /** What the run has used and what is reserved for what is under way, together. */
  readonly spent: Reservation;
  readonly budget: RunBudget;
  /** Null where nobody looks for loops. */
  readonly loop: LoopWatch | null;
  readonly report: Tally;
  /** The key that it shares with other runs; nothing is scheduled before it is granted. */
  readonly concurrency: KeyOfRun | null;
  /** From then on it is obsolete, epoch ms. */
  readonly validUntil: number | null;
  /** The run that has begun this one. */
  readonly parent: Parent | null;
  /** Absent where nobody traces it. */
  readonly trace?: Trace;
  /** Runs that it has begun and that are not known to be over. */
  readonly children: readonly ChildRun[];
  /** What is kept so that its effects can be undone; null where none can be. */
  readonly undo: Undo | null;
  /** The failure that ends the plan, of the first step whose failure does. */
  readonly failure: StepFailure | null;
  /** Set once the run has ended while effects are still in doubt; the status is then `closing`. */
  readonly end: End | null;
};

/** What is remembered of a run that has ended and in which nothing is in doubt any more. */
export type EndedRun = {
  readonly status: 'ended';
  readonly runId: string;
  readonly requestId: string;
  readonly requestHash: string;
  readonly end: End;
  /** Absent where nobody was asked anything. */
  readonly closedQuestions?: readonly ClosedQuestion[];
  /** Only of a run that has a tenant: what it has used in all. */
  readonly bill?: { readonly tenant: string; readonly spent: Reservation };
};

export type StepFailure = { readonly stepId: string; readonly code: string; readonly message: string };
export type End = {
  readonly reason: EndReason;
  readonly endedAt: number;
  /** It has not given its key back yet. */
  readonly keepsKey?: true;
};
export type Pause = { readonly principal: string | null; readonly reason: string; readonly since: number };
/** A cancel, or the stop of a run that another one replaces or that is no longer valid. */
export type Cancel = RunEventData<'CancelRequested'> & { readonly as?: 'superseded' };
export type ChildRun = {
  readonly childRunId: string;
  readonly ticket: string;
  readonly depth: number;
  /** It may outlive this run. */
  readonly detached: boolean;
  /** What is reserved for it here. */
  readonly reserved: Amounts;
  /** It asks the tenant of this run for grants itself. */
  readonly granted: boolean;
  /** When it is over at the latest, epoch ms. */
  readonly deadlineAt: number | null;
  /** `asked` until its lane has said that it has begun. */
  readonly status: 'asked' | 'running';
  /** It was told to end. */
  readonly stopped: boolean;
  /** Steps that wait for it, and until when. None: it goes on by itself, and still belongs to this run. */
  readonly waiting: readonly { readonly stepId: string; readonly until: number | null }[];
};
export type KeyOfRun = Concurrency &
  (
    | { readonly status: 'asked' | 'granted' }
    | { readonly status: 'waiting'; readonly holder: string; readonly place: number; readonly since: number }
    | { readonly status: 'denied'; readonly code: KeyDenial; readonly by: string | null; readonly detail: string }
  );
/** The part of the effects report that grows while the run goes on. */
export type ReportList = 'absent' | 'inDoubt' | 'conflicts';
export type Tally = { readonly totals: Readonly<Record<ReportList, number>> } & Pick<
  EffectsReport,
  'applied' | 'absent' | 'inDoubt' | 'conflicts' | 'stepsSucceeded' | 'stepsFailed'
>;

export type StepState = {
  readonly stepId: string;
  readonly tool: string;
  readonly policy: ReplayPolicy;
  readonly nextAttempt: number;
  /** Failed, or absent after a doubt. Closed, refused and skipped attempts do not count. */
  readonly tries: number;
  /** Times that a session died while the step was in its call. */
  readonly deaths: number;
  /** Attempts that may act or may have acted. Empty: the step is known not to have been done. */
  readonly attempts: readonly Attempt[];
  /** Not to be scheduled again before, epoch ms. */
  readonly dueAt: number | null;
  /** When the first of the attempts since the step was last known not to have acted was issued. */
  readonly firstIssueAt: number;
  readonly doubt: Doubt | null;
  /** Absent where none was needed. Given before the first attempt, and good for one effect of the step. */
  readonly approval?: Approval;
};

export type Attempt = {
  readonly attempt: number;
  readonly queue: string;
  readonly partition: number;
  readonly scheduledAt: number;
  readonly startBy: number;
  readonly timeoutMs: number;
  readonly claimsFrom: number;
  readonly argsHash: string;
  /** Settles a doubt of the step by calling again with the same key. */
  readonly settling: boolean;
  readonly status: 'open' | 'held' | 'doubtful';
  readonly holder: Holder | null;
  /** When an effect can no longer land; known once the attempt is in doubt. */
  readonly settledAt: number | null;
  /** Its holder has said that it may have acted: a lower word (`skipped`) means nothing after that. */
  readonly saidUnknown: boolean;
  /** What it may give back. */
  readonly reservation: Reservation;
  /** What its holder says to have used, where the attempt is in doubt all the same. */
  readonly used?: Reservation;
};

export type Holder = { readonly session: string; readonly deadline: number; readonly claimOffset: number };

export type Doubt = {
  readonly seq: number;
  readonly attempt: number;
  readonly cause: RunEventData<'DoubtOpened'>['cause'];
  /** The latest of the step's attempts. */
  readonly settledAt: number;
  readonly settleBy: number;
  readonly holds: 'run' | 'step' | 'none';
  readonly probes: number;
};

export const emptyTally: Tally = {
  applied: 0,
  absent: [],
  inDoubt: [],
  conflicts: [],
  totals: { absent: 0, inDoubt: 0, conflicts: 0 },
  stepsSucceeded: 0,
  stepsFailed: 0,
};

/** Whether the run may not begin yet, since another one may have its key. */
export const waitsForKey = ({ concurrency }: LiveRun): boolean =>
  concurrency !== null && concurrency.status !== 'granted';

/** Whether a doubt holds the whole run: nothing with an effect may begin. */
export const isRecovering = (run: LiveRun): boolean => run.steps.some((step) => step.doubt?.holds === 'run');

/** Whether a question is about what becomes of a step; the others are about the whole run and stay when a step is done. */
export const isAboutStep = ({ kind }: Pick<Escalation, 'kind'>): boolean =>
  kind !== 'conflict' && kind !== 'budget' && kind !== 'loop';

/** The question that keeps a step from going on. */
export const escalationOf = (run: LiveRun, stepId: string): Escalation | undefined =>
  Object.values(run.escalations).find((escalation) => escalation.stepId === stepId && isAboutStep(escalation));
