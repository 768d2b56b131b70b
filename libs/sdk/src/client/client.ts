import { topicNames, type Request, type RequestOf, type TopicNames } from '@holdfast/contracts';
import {
  Defect,
  laneName,
  laneOf,
  tenantHome,
  type Digest,
  type ForkPlan,
  type ForkWish,
  type HistoryRecord,
  type RunState,
  type Tenant,
} from '@holdfast/events';
import { LogUnavailable, type Log } from '@holdfast/log';
import { sha256 } from '../digest.js';
import { readLane } from '../lane/read-lane.js';
import { readLanes } from '../log/lanes.js';
import { systemClock, systemIds, systemTimer, type Clock, type Ids, type Timer } from '../ports.js';
import { ask, askAgain, type AskedAgain, type AskPorts, type Written } from './ask.js';
import { ClientError, NoAnswer, RequestRefused, type Answer } from './client-error.js';
import { Replies } from './replies.js';
import { forkSubmission, planFork, type Forking } from './fork.js';
import { bulkIdOn, watchBulkCancel, type BulkProgress } from './watch-bulk.js';
import { watchRun, type Watched, type WatchOptions } from './watch.js';

export type ClientOptions = {
  readonly log: Log;
  /** Default `holdfast`. */
  readonly namespace?: string;
  /** Where the names are made already; otherwise they follow from the namespace. */
  readonly topics?: TopicNames;
  /** Read from the cluster where absent. */
  readonly lanes?: number;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly timer?: Timer;
  readonly digest?: Digest;
};

export type Asking = {
  /** The same id again is the same request: give one where a request may have to be repeated after a crash. */
  readonly requestId?: string;
  /** Who asks; becomes part of the history. */
  readonly principal?: string;
  /** Where whoever asks stands in a trace, as W3C Trace Context writes it: the run is a part of that trace. */
  readonly traceparent?: string;
  /** How long to wait for an answer, ms; default 30,000. */
  readonly answerWithinMs?: number;
};

type Ask<T extends Request['type']> = Omit<RequestOf<T>['data'], 'requestId' | 'runId'>;
/** `run id` is chosen by who submits and makes submission idempotent. */
export type Submission = Ask<'SubmitRun'> & Asking & { readonly runId: string };
export type CancelOptions = Ask<'CancelRun'> & Asking;
export type BulkCancelling = Omit<RequestOf<'CancelRuns'>['data'], 'requestId' | 'lane'> & Asking;
/** A lane that has not answered in time; the request is in its log and will be read. */
export type Pending = Pick<Answer, 'requestId' | 'runId'> & { readonly outcome: 'pending' };
/** What each lane has said, also where it refuses; under `requestId` the cancel can be watched, and asked for again. */
export type BulkAnswer = { readonly requestId: string; readonly answers: readonly (Answer | Pending)[] };
export type KillOptions = Ask<'KillRun'> & Asking;
export type PauseOptions = Ask<'PauseRun'> & Asking;
export type Steering = Ask<'SteerRun'> & Asking;
export type TenantBudget = Omit<Ask<'SetTenantBudget'>, 'tenant'> & Asking;
export type EscalationAnswer = Ask<'AnswerEscalation'> & Asking;

/** A run rebuilt from its lane; `run` is undefined when there is none, or the lane has forgotten it. */
export type RunHistory = {
  readonly runId: string;
  readonly lane: number;
  readonly records: readonly HistoryRecord[];
  readonly run: RunState | undefined;
  /** When the broker wrote the last of its records, epoch ms; null where there is none. */
  readonly updatedAt: number | null;
  /** The whole lane as it was read: all of it was checked. */
  readonly checked: {
    readonly valid: number;
    readonly void: number;
    readonly repeated: number;
    readonly chain: string;
  };
};

/** Talks to the coordinators over the public topics. Requests reject with `ClientError`, refused ones with `RequestRefused`. */
export type Client = {
  submit(submission: Submission): Promise<Answer>;
  cancel(runId: string, options?: CancelOptions): Promise<Answer>;
  /** Cancels all runs, of all lanes, that have these labels and are known already. Rejects if a lane's log does not have it. */
  cancelRuns(cancelling: BulkCancelling): Promise<BulkAnswer>;
  /** How far such a cancel has come, each time that it has come further; ends with the last of its runs. */
  watchCancelRuns(requestId: string, options?: Pick<WatchOptions, 'signal'>): AsyncIterable<BulkProgress>;
  /** Ends it at once, whatever is under way. */
  kill(runId: string, options?: KillOptions): Promise<Answer>;
  pause(runId: string, options?: PauseOptions): Promise<Answer>;
  resume(runId: string, options?: PauseOptions): Promise<Answer>;
  steer(runId: string, steering: Steering): Promise<Answer>;
  answer(runId: string, answer: EscalationAnswer): Promise<Answer>;
  /** Writes a request again as it was once written, for what had to be put aside. */
  askAgain(written: Written, options?: Pick<Asking, 'answerWithinMs'>): Promise<AskedAgain>;
  watch(runId: string, options?: WatchOptions): AsyncIterable<Watched>;
  /** What a run that takes over from another one would keep, and what it would do again. */
  planFork(runId: string, wish?: Partial<ForkWish>): Promise<ForkPlan>;
  /** Begins such a run. Rejects with `ForkRefused` where an effect would be made twice that is not named. */
  fork(runId: string, forking: Forking): Promise<Answer>;
  /** What all runs of a tenant may use together. */
  setTenantBudget(tenant: string, budget: TenantBudget): Promise<Answer>;
  /** What a tenant may use and what of it its runs have; undefined where nobody has said so. */
  readTenant(tenant: string): Promise<Tenant | undefined>;
  /** Rebuilds a run from the first record of its lane on, with all hashes compared. */
  readRun(runId: string): Promise<RunHistory>;
  lanes(): Promise<number>;
  /** Ends its own listening; what still waits for an answer rejects with `closed`. The log stays open. */
  close(): Promise<void>;
};

const ANSWER_MS = 30_000;
/** A namespace that is not there looks like one that does not answer: somebody may be waiting to read which. */
const LANES_MS = 1_000;

export const createClient = (options: ClientOptions): Client => {
  const namespace = options.namespace ?? 'holdfast';
  const topics = options.topics ?? topicNames(namespace);
  const { log, clock = systemClock, ids = systemIds, timer = systemTimer, digest = sha256 } = options;
  const replies = new Replies(log, topics.replies);
  const ports: AskPorts = { log, topics, clock, ids, timer, replies };
  const lanes = lanesOf(options, topics);

  const request = async (type: Request['type'], about: object, asked: Asking & object): Promise<Answer> => {
    const { requestId = ids.next(), principal = null, answerWithinMs = ANSWER_MS, traceparent, ...data } = asked;
    const draft = { type, data: { ...data, requestId, ...about } } as unknown as Pick<Request, 'type' | 'data'>;
    return ask(ports, draft, { lanes: await lanes(), principal, answerWithinMs, traceparent });
  };
  const cancelRuns = async ({ requestId = ids.next(), ...asked }: BulkCancelling): Promise<BulkAnswer> => {
    const all = Array.from({ length: await lanes() }, (_, lane) => lane);
    const asking = all.map(async (lane) => {
      const id = bulkIdOn(requestId, lane);
      const answering = request('CancelRuns', { lane }, { ...asked, requestId: id });
      return answering.catch((error: unknown) => settled(error, { requestId: id, runId: laneName(lane) }));
    });
    return { requestId, answers: allOf(await Promise.allSettled(asking)) };
  };
  const placeOf = async (runId: string) => ({ log, topic: topics.history, lane: laneOf(runId, await lanes()), digest });

  return {
    submit: ({ runId, ...asked }) => request('SubmitRun', { runId }, asked),
    cancel: (runId, asked = {}) => request('CancelRun', { runId }, asked),
    cancelRuns,
    watchCancelRuns: async function* (requestId, { signal } = {}) {
      yield* watchBulkCancel({ log, topic: topics.history, digest, lanes: await lanes() }, requestId, signal);
    },
    kill: (runId, asked = {}) => request('KillRun', { runId }, asked),
    pause: (runId, asked = {}) => request('PauseRun', { runId }, asked),
    resume: (runId, asked = {}) => request('ResumeRun', { runId }, asked),
    steer: (runId, asked) => request('SteerRun', { runId }, asked),
    answer: (runId, asked) => request('AnswerEscalation', { runId }, asked),
    askAgain: (written, { answerWithinMs = ANSWER_MS } = {}) => askAgain(ports, written, answerWithinMs),
    watch: async function* (runId, watching) {
      yield* watchRun(await placeOf(runId), runId, watching);
    },
    planFork: async (runId, wish = {}) => planFork(runId, (await readRun(await placeOf(runId), runId)).records, wish),
    fork: async (of, forking) => {
      const { runId, ...submission } = forkSubmission(of, (await readRun(await placeOf(of), of)).records, forking);
      return request('SubmitRun', { runId }, submission);
    },
    setTenantBudget: (tenant, asked) => request('SetTenantBudget', { runId: tenantHome(tenant), tenant }, asked),
    readTenant: async (tenant) => readTenant(await placeOf(tenantHome(tenant)), tenant),
    readRun: async (runId) => readRun(await placeOf(runId), runId),
    lanes,
    close: () => replies.close(),
  };
};

type Place = { readonly log: Log; readonly topic: string; readonly lane: number; readonly digest: Digest };

const readRun = async (place: Place, runId: string): Promise<RunHistory> => {
  const records: HistoryRecord[] = [];
  let updatedAt: number | null = null;
  try {
    const { state } = await readLane({
      ...place,
      onRecord: ({ folded, record, at }) => {
        if (folded !== 'valid' || record.subject !== runId) return;
        records.push(record);
        updatedAt = at;
      },
    });
    const checked = { ...state.counts, chain: state.chain };
    return { runId, lane: place.lane, records, run: state.runs.get(runId)?.run, updatedAt, checked };
  } catch (error) {
    if (error instanceof Defect)
      throw new ClientError('unsound_history', `run ${runId}: ${error.message}`, { cause: error });
    throw unreachable(error, `run ${runId}: its history cannot be read`);
  }
};

const readTenant = async (place: Place, tenant: string): Promise<Tenant | undefined> => {
  try {
    const { tenants } = (await readLane(place)).state.shared;
    return Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  } catch (error) {
    if (error instanceof Defect)
      throw new ClientError('unsound_history', `tenant ${tenant}: ${error.message}`, { cause: error });
    throw unreachable(error, `tenant ${tenant}: its lane cannot be read`);
  }
};

/** Asks the cluster once; a failed asking is tried again at the next call. */
const lanesOf = (
  { log, lanes, timer = systemTimer, namespace = 'holdfast' }: ClientOptions,
  topics: TopicNames,
): (() => Promise<number>) => {
  let known: number | null = lanes ?? null;
  return async () => {
    if (known !== null) return known;
    try {
      known = await readLanes(log, topics, { timer, patienceMs: LANES_MS });
    } catch (error) {
      throw unreachable(error, `the number of lanes of namespace ${namespace} cannot be read`);
    }
    if (known !== null) return known;
    throw new ClientError(
      'unreachable',
      `namespace ${namespace} has no lanes yet: start a coordinator, or name another namespace`,
    );
  };
};

/** What a lane has said, or will say as surely; everything else is thrown again. */
const settled = (error: unknown, about: Omit<Pending, 'outcome'>): Answer | Pending => {
  if (error instanceof RequestRefused) return error.reply;
  if (error instanceof NoAnswer && error.landed) return { ...about, outcome: 'pending' };
  throw error;
};

/** What is known of every lane: a lane that cannot be asked weighs more than one that does not say whether it has it. */
const allOf = <T>(asked: readonly PromiseSettledResult<T>[]): readonly T[] => {
  const failed = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failed.length > 0) throw failed.find((reason) => !(reason instanceof NoAnswer)) ?? failed[0];
  return asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
};

const unreachable = (error: unknown, what: string): unknown =>
  error instanceof LogUnavailable
    ? new ClientError('unreachable', `${what}: ${error.message}`, { cause: error })
    : error;
