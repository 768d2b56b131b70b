import { baseConfigSchema, setting, wholeNumber } from '@holdfast/service';
import type { z } from 'zod';
import { authProblems } from './http/auth/auth.config.js';
import { httpSettings } from './http/http.config.js';

const url = setting('postgres://user@host:port/database', (text) => (isPostgres(text) ? text : undefined), {
  variable: 'DATABASE_URL',
  secret: true,
});

const isPostgres = (text: string): boolean =>
  URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol);

/** What the gateway reads beside what every service reads. */
const settings = baseConfigSchema.extend({
  ...httpSettings,
  databaseUrl: url.describe('the database of the projections, Postgres 14 or newer'),
  databaseConnections: wholeNumber(2, 200).default(10).describe('connections to the database at most'),
  retentionDays: wholeNumber(1, 36_500)
    .optional()
    .describe('how long the rows of a run stay after its end; for ever where it is not set'),
  shadowRate: wholeNumber(0, 1_000_000)
    .default(500)
    .describe('records of history that the shadow check folds in a second; 0 for none'),
});

/** The same, where all of it goes together. */
export const gatewayConfigSchema = settings.superRefine((config, context) => {
  for (const message of authProblems(config)) context.addIssue({ code: 'custom', path: [], message });
});
export type GatewayConfig = z.output<typeof gatewayConfigSchema>;
