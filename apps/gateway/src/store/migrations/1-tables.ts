import type { MigrationInterface, QueryRunner } from 'typeorm';

const writtenBy = 'lane int NOT NULL, "offset" bigint NOT NULL';

/**
 * Text that is compared for being the same, never for its order by a language: `C` is quick, and the same everywhere.
 * Rows of a run are changed often at first and never later, so pages keep some room.
 */
const TABLES = [
  `CREATE TABLE projections (
    source text COLLATE "C" NOT NULL, partition int NOT NULL, next_offset bigint NOT NULL, updated_at bigint NOT NULL,
    PRIMARY KEY (source, partition))`,
  `CREATE TABLE events (
    ${writtenBy}, seq bigint NOT NULL, run_id text COLLATE "C", type text COLLATE "C" NOT NULL, at bigint NOT NULL,
    step_id text COLLATE "C", principal text, data json NOT NULL,
    PRIMARY KEY (lane, seq))`,
  `CREATE INDEX events_of_lanes ON events (at) WHERE run_id IS NULL`,
  `CREATE INDEX events_by_run ON events (run_id, seq) WHERE run_id IS NOT NULL`,
  `CREATE TABLE runs (
    run_id text COLLATE "C" PRIMARY KEY, ${writtenBy}, seq bigint NOT NULL, accepted_seq bigint NOT NULL,
    status text COLLATE "C" NOT NULL, reason text COLLATE "C", detail text, labels jsonb NOT NULL, tenant text,
    parent_run_id text COLLATE "C", principal text, accepted_at bigint NOT NULL, updated_at bigint NOT NULL,
    deadline_at bigint NOT NULL, ended_at bigint, ended_seq bigint, report_seq bigint, steps_open int NOT NULL,
    steps_succeeded int NOT NULL, steps_failed int NOT NULL, effects_applied int NOT NULL, doubts_open int NOT NULL,
    questions_open int NOT NULL, waiting json, budgets json NOT NULL, cancel json, paused json) WITH (fillfactor = 80)`,
  `CREATE INDEX runs_by_acceptance ON runs (accepted_at DESC, run_id DESC)`,
  `CREATE INDEX runs_by_status ON runs (status, accepted_at DESC, run_id DESC)`,
  `CREATE INDEX runs_by_reason ON runs (reason, accepted_at DESC, run_id DESC) WHERE reason IS NOT NULL`,
  `CREATE INDEX runs_by_tenant ON runs (tenant, accepted_at DESC, run_id DESC) WHERE tenant IS NOT NULL`,
  `CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE INDEX runs_by_label ON runs USING gin (labels jsonb_path_ops)`,
  `CREATE TABLE steps (
    run_id text COLLATE "C" NOT NULL, step_id text COLLATE "C" NOT NULL, ${writtenBy}, first_seq bigint NOT NULL,
    tool text NOT NULL, policy text NOT NULL, status text COLLATE "C" NOT NULL, attempts int NOT NULL,
    tries int NOT NULL, scheduled_at bigint NOT NULL, ended_at bigint, ended_seq bigint, failure json,
    PRIMARY KEY (run_id, step_id)) WITH (fillfactor = 90)`,
  `CREATE TABLE attempts (
    run_id text COLLATE "C" NOT NULL, step_id text COLLATE "C" NOT NULL, attempt int NOT NULL, ${writtenBy},
    first_seq bigint NOT NULL, tool text NOT NULL, policy text NOT NULL, status text COLLATE "C" NOT NULL,
    settling boolean NOT NULL, queue text NOT NULL, partition int NOT NULL, session text, effect text COLLATE "C",
    scheduled_at bigint NOT NULL, held_at bigint, ended_at bigint,
    PRIMARY KEY (run_id, step_id, attempt)) WITH (fillfactor = 90)`,
  `CREATE TABLE doubts (
    run_id text COLLATE "C" NOT NULL, seq bigint NOT NULL, ${writtenBy}, step_id text NOT NULL, attempt int NOT NULL,
    tool text NOT NULL, cause text NOT NULL, holds text NOT NULL, opened_at bigint NOT NULL, settled_at bigint NOT NULL,
    settle_by bigint NOT NULL, probes int NOT NULL, evidence text, verdict text, by text, ended_at bigint,
    PRIMARY KEY (run_id, seq))`,
  `CREATE INDEX doubts_by_opening ON doubts (opened_at DESC, run_id DESC, seq DESC)`,
  `CREATE INDEX doubts_open ON doubts (opened_at, run_id, seq) WHERE ended_at IS NULL`,
  `CREATE TABLE questions (
    run_id text COLLATE "C" NOT NULL, seq bigint NOT NULL, ${writtenBy}, step_id text NOT NULL, attempt int NOT NULL,
    kind text NOT NULL, question text NOT NULL, context json, choices json NOT NULL, schema json,
    approves json, assignees json NOT NULL, opened_at bigint NOT NULL, expires_at bigint NOT NULL,
    on_silence text NOT NULL, status text COLLATE "C" NOT NULL, choice text, answered_by text, note text,
    ended_at bigint,
    PRIMARY KEY (run_id, seq))`,
  `CREATE INDEX questions_by_opening ON questions (opened_at DESC, run_id DESC, seq DESC)`,
  `CREATE INDEX questions_open ON questions (expires_at, run_id, seq) WHERE status = 'open'`,
  `CREATE TABLE budgets (
    owner text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, ${writtenBy}, used text NOT NULL, most text,
    runs int NOT NULL, waiting int NOT NULL, PRIMARY KEY (owner, kind))`,
  `CREATE TABLE lanes (
    lane int PRIMARY KEY, "offset" bigint NOT NULL, seq bigint NOT NULL, epoch int NOT NULL, owner text,
    at bigint NOT NULL, written_at bigint NOT NULL, positions json NOT NULL, runs_open int NOT NULL,
    runs_total int NOT NULL) WITH (fillfactor = 50)`,
  `CREATE TABLE executors (
    executor text COLLATE "C" PRIMARY KEY, "offset" bigint NOT NULL, last_beat_at bigint NOT NULL,
    sessions json NOT NULL, queues json NOT NULL, tools json NOT NULL)`,
  `CREATE TABLE members (
    role text COLLATE "C" NOT NULL, member text COLLATE "C" NOT NULL, "offset" bigint NOT NULL,
    last_beat_at bigint NOT NULL, lanes json NOT NULL, PRIMARY KEY (role, member))`,
  `CREATE TABLE dead_letters (
    partition int NOT NULL, "offset" bigint NOT NULL, source_topic text COLLATE "C" NOT NULL,
    source_partition int NOT NULL, source_offset bigint NOT NULL, key text, code text COLLATE "C" NOT NULL,
    reason text NOT NULL, by text NOT NULL, at bigint NOT NULL, bytes int NOT NULL, value bytea,
    PRIMARY KEY (partition, "offset"))`,
  `CREATE INDEX dead_letters_by_time ON dead_letters (at DESC, partition DESC, "offset" DESC)`,
  `CREATE TABLE resends (
    partition int NOT NULL, "offset" bigint NOT NULL, letter bigint NOT NULL, by text NOT NULL,
    request_id text NOT NULL, at bigint NOT NULL, PRIMARY KEY (partition, "offset"))`,
  `CREATE INDEX resends_by_letter ON resends (partition, letter)`,
];

const NAMES =
  'resends dead_letters members executors lanes budgets questions doubts attempts steps runs events projections'.split(
    ' ',
  );

/** All tables of the first version. */
export class Tables1790000000001 implements MigrationInterface {
  readonly name = 'Tables1790000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of NAMES) await runner.query(`DROP TABLE ${name}`);
  }
}
