/** Who tells it; `all` services do. */
export type Teller = 'all' | 'coordinator' | 'executor' | 'reconciler' | 'gateway';

type Common = { readonly of: Teller; readonly help: string; readonly labels: readonly string[] };
export type Metric = Common &
  (
    | { readonly type: 'counter' }
    /** Looked at when somebody asks: what is not there any more is not told any more. */
    | { readonly type: 'gauge' }
    /** Counted by somebody else, and looked at like a gauge; it never goes down while one service tells of it. */
    | { readonly type: 'level' }
    | { readonly type: 'histogram'; readonly buckets: readonly number[] }
  );

type Labels = readonly string[];
const counter = <const L extends Labels>(of: Teller, help: string, ...labels: L) =>
  ({ type: 'counter', of, help, labels }) as const;
const gauge = <const L extends Labels>(of: Teller, help: string, ...labels: L) =>
  ({ type: 'gauge', of, help, labels }) as const;
const level = <const L extends Labels>(of: Teller, help: string, ...labels: L) =>
  ({ type: 'level', of, help, labels }) as const;
const histogram = <const L extends Labels>(buckets: readonly number[], of: Teller, help: string, ...labels: L) =>
  ({ type: 'histogram', of, help, labels, buckets }) as const;

const QUICK = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LONG = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const BYTES = [1_024, 4_096, 16_384, 65_536, 262_144, 524_288, 921_600];
const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9, 1];

/**
 * Every metric there is: names and labels in code, in `docs/metrics.md`, in the dashboard and in the alerts come from
 * here. Labels have few values: never a run, a step, a session or a person.
 */
export const METRICS = {
  // What has become history. Counted once, by the owner of the lane, when the record is known to be valid.
  holdfast_runs_accepted_total: counter('coordinator', 'Runs that were accepted.'),
  holdfast_runs_ended_total: counter('coordinator', 'Runs that have ended, by their reason.', 'reason'),
  holdfast_run_seconds: histogram(LONG, 'coordinator', 'From the acceptance of a run to its end.', 'reason'),
  holdfast_steps_total: counter('coordinator', 'Steps that are done: succeeded, or failed for good.', 'outcome'),
  holdfast_attempts_scheduled_total: counter('coordinator', 'Attempts that were scheduled.', 'policy', 'settling'),
  holdfast_attempts_total: counter(
    'coordinator',
    'What became of attempts: succeeded, failed, skipped, closed, in_doubt. One that was in doubt and is heard of later counts twice.',
    'outcome',
  ),
  holdfast_attempt_seconds: histogram(
    LONG,
    'coordinator',
    'From the scheduling of an attempt to what became of it.',
    'outcome',
  ),
  holdfast_doubts_opened_total: counter('coordinator', 'Doubts that were opened.', 'cause', 'holds'),
  holdfast_doubts_settled_total: counter('coordinator', 'Doubts that were settled.', 'verdict', 'by'),
  holdfast_turns_total: counter(
    'coordinator',
    'Replies of the models of agents, by what followed: called, answered, repaired, failed.',
    'did',
  ),
  holdfast_model_calls_refused_total: counter(
    'coordinator',
    'Calls that models asked for and that were answered with an error instead of being made.',
    'why',
  ),
  holdfast_conflicts_total: counter('coordinator', 'Words about an effect that contradict what was acted on.'),
  holdfast_questions_opened_total: counter('coordinator', 'Questions that were put to people.', 'kind'),
  holdfast_questions_expired_total: counter('coordinator', 'Questions that nobody answered in time.'),
  holdfast_requests_total: counter('coordinator', 'Requests that were decided.', 'outcome'),
  holdfast_budget_spent_total: counter(
    'coordinator',
    'What runs that have ended had used, of each kind that is a count.',
    'kind',
  ),
  holdfast_money_spent_total: counter('coordinator', 'Money that runs that have ended had used.', 'currency'),
  holdfast_budget_use_ratio: histogram(
    SHARES,
    'coordinator',
    'Share of a limit that a run had used when it ended.',
    'kind',
  ),
  holdfast_budget_warnings_total: counter('coordinator', 'Runs that came near a limit.'),
  holdfast_budget_exhausted_total: counter(
    'coordinator',
    'Runs that came to a limit, and what follows: end or ask.',
    'policy',
  ),
  holdfast_inputs_lost_records_total: counter(
    'coordinator',
    'Records of inputs that were not kept until they were read.',
  ),

  // The lanes.
  holdfast_lanes: gauge('coordinator', 'How many lanes the namespace has.'),
  holdfast_lane_owned: gauge('coordinator', '1 where this coordinator owns the lane, otherwise 0.', 'lane'),
  holdfast_lane_epoch: gauge('coordinator', 'Number of the term of office, told by the owner.', 'lane'),
  holdfast_lane_stopped: gauge('coordinator', '1 where the lane has stopped until a person looks.', 'lane'),
  holdfast_lane_records_total: level(
    'coordinator',
    "Records of the lane's history: valid, void, repeated; told by the owner.",
    'lane',
    'judged',
  ),
  holdfast_lane_inbox_records: gauge('coordinator', 'Inputs that wait for a decision.', 'lane'),
  holdfast_lane_input_lag_records: gauge(
    'coordinator',
    'Records of an input that are not decided yet.',
    'lane',
    'topic',
  ),
  holdfast_lane_input_lag_seconds: gauge(
    'coordinator',
    'Age of the oldest of them, by the clock of the broker.',
    'lane',
    'topic',
  ),
  holdfast_lane_broken_runs: gauge('coordinator', 'Runs about which no decision can be made.', 'lane'),
  holdfast_runs: gauge(
    'coordinator',
    'Runs that are not over: running, recovering, waiting, paused, cancelling, closing.',
    'lane',
    'state',
  ),
  holdfast_doubts: gauge('coordinator', 'Steps in doubt.', 'lane'),
  holdfast_questions: gauge('coordinator', 'Questions that wait for a person.', 'lane'),
  holdfast_attempts_outstanding: gauge(
    'coordinator',
    'Attempts that are out, by queue, over the lanes of this coordinator.',
    'queue',
  ),
  holdfast_history_batch_records: histogram(COUNTS, 'coordinator', 'Records of one batch of history.'),
  holdfast_history_batch_bytes: histogram(BYTES, 'coordinator', 'Bytes of one batch of history.'),
  holdfast_history_commit_seconds: histogram(QUICK, 'coordinator', 'From a decision to its being history.'),
  holdfast_lane_takeover_seconds: histogram(
    LONG,
    'coordinator',
    'From the seat of a lane to its leading: reading and acquiring.',
  ),
  holdfast_lanes_taken_total: counter('coordinator', 'Terms of office that this coordinator has begun.'),
  holdfast_lanes_lost_total: counter('coordinator', 'Terms of office that another coordinator has ended.'),
  holdfast_lease_expiries_total: counter(
    'coordinator',
    'Sessions whose lease has run out, as this coordinator saw it.',
  ),
  holdfast_sessions_ended_total: counter(
    'coordinator',
    'Sessions that were said to have ended, as this coordinator read it: clean, or unclean.',
    'how',
  ),

  // Executors: the parent's own, and what its worker has told it.
  holdfast_executor_slots: gauge('executor', 'Calls that may be under way at a time.'),
  holdfast_executor_calls: gauge('executor', 'Calls under way.'),
  holdfast_executor_sessions: gauge('executor', 'Sessions of the worker: open, draining.', 'state'),
  holdfast_executor_partitions: gauge('executor', 'Command partitions that are served.', 'queue'),
  holdfast_executor_defects: gauge(
    'executor',
    'Command partitions that are not served any more, because their log contradicts itself.',
  ),
  holdfast_executor_worker_ready: gauge('executor', '1 while the worker can take work.'),
  holdfast_executor_heartbeat_age_seconds: gauge('executor', 'Time since the last acknowledged heartbeat was sent.'),
  holdfast_executor_clock_offset_seconds: gauge('executor', "How far this clock is from the broker's."),
  holdfast_worker_exits_total: counter('executor', 'Workers that are gone: stopped, exited, killed.', 'cause'),
  holdfast_commands_total: counter('executor', 'Orders that were read, of commands; repeated ones too.', 'queue'),
  holdfast_commands_lag_records: gauge('executor', 'Commands that are not settled here yet.', 'queue', 'partition'),
  holdfast_commands_lag_seconds: gauge(
    'executor',
    'Age of the oldest of them, by the clock of the broker.',
    'queue',
    'partition',
  ),
  holdfast_claims_total: counter('executor', 'What became of attempts that were claimed here: won, lost.', 'outcome'),
  holdfast_calls_begun_total: counter('executor', 'Calls that have begun.', 'tool'),
  holdfast_calls_total: counter(
    'executor',
    'Calls that have ended: succeeded, failed, unknown, aborted.',
    'tool',
    'outcome',
  ),
  holdfast_calls_blocked_total: counter(
    'executor',
    'Calls that were claimed and did not begin, with the reason.',
    'reason',
  ),
  holdfast_call_seconds: histogram(LONG, 'executor', 'How long calls took.', 'tool'),

  // Reconcilers.
  holdfast_reconciler_doubts: gauge('reconciler', 'Doubts that are known and not settled.'),
  holdfast_reconciler_questions: gauge('reconciler', 'Questions to tools under way.'),
  holdfast_reconciler_lanes: gauge('reconciler', 'Lanes that are followed: read to the end, behind, broken.', 'state'),
  holdfast_probes_total: counter('reconciler', 'Questions to tools that were answered.', 'tool', 'verdict'),
  holdfast_probe_seconds: histogram(LONG, 'reconciler', 'How long a tool took for its answer.', 'tool'),
  holdfast_verdicts_total: counter('reconciler', 'Verdicts that were written.', 'verdict'),
  holdfast_recovery_seconds: histogram(
    LONG,
    'reconciler',
    'From the opening of a doubt to its settling, by their records.',
    'verdict',
    'by',
  ),

  // Gateways.
  holdfast_http_requests_total: counter(
    'gateway',
    'Requests by the template of their route.',
    'route',
    'method',
    'status',
  ),
  holdfast_http_request_seconds: histogram(
    QUICK,
    'gateway',
    'How long requests took; streams are not measured.',
    'route',
    'method',
  ),
  holdfast_http_streams: gauge('gateway', 'Streams of events that are open.'),
  holdfast_projection_lag_records: gauge('gateway', 'Records of history that are not in the rows yet.', 'lane'),
  holdfast_projection_lag_seconds: gauge('gateway', 'Age of the oldest of them, by the time in the record.', 'lane'),
  holdfast_projection_broken_lanes: gauge('gateway', 'Lanes of which no rows are made any more.'),
  holdfast_projection_troubles: gauge('gateway', 'Topics and lanes of which no rows can be written for the moment.'),
  holdfast_shadow_differences: gauge('gateway', 'Lanes with a row that is another one than history makes it.'),
  holdfast_shadow_passes_total: level('gateway', 'Lanes that were compared whole with their rows.'),
  holdfast_shadow_rows_compared_total: level('gateway', 'Rows that were compared.'),

  // Every service.
  holdfast_info: gauge('all', '1, with the service and its namespace.', 'namespace'),
  holdfast_ready: gauge('all', '1 while the service can work.'),
  holdfast_check_ok: gauge('all', '1 for a check of readiness that is met, otherwise 0.', 'check'),
  holdfast_dead_letters_total: counter('all', 'Records that could not be read and are in the dead letters.', 'code'),
  holdfast_log_appends_total: counter('all', 'Appends by their answer: appended, refused, unknown.', 'topic', 'answer'),
  holdfast_log_append_seconds: histogram(QUICK, 'all', 'How long the answer to an append took.', 'topic'),
  holdfast_spans_total: counter('all', 'Spans of traces: exported, dropped, failed.', 'outcome'),
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;
type Named<T extends Metric['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
export type CounterName = Named<'counter'>;
export type LevelName = Named<'gauge' | 'level'>;
export type HistogramName = Named<'histogram'>;
export type LabelsOf<N extends MetricName> = { readonly [L in (typeof METRICS)[N]['labels'][number]]: string | number };

export const metricOf = (name: MetricName): Metric => METRICS[name];
export const metricNames = Object.keys(METRICS) as readonly MetricName[];
