import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where somebody has taken the other tables away by hand, these rows are still there. */
export class ApiTokens1790000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE IF NOT EXISTS api_tokens (
      id text COLLATE "C" PRIMARY KEY, name text NOT NULL, hash bytea NOT NULL, roles json NOT NULL,
      created_at bigint NOT NULL, created_by text NOT NULL, expires_at bigint, revoked_at bigint, revoked_by text,
      last_used_at bigint)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_tokens');
  }
}
