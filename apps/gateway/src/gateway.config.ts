import { baseConfigSchema, setting, wholeNumber } from '@holdfast/service';
import type { z } from 'zod';
import { httpSettings } from './http/http.config.js';

const url = setting('postgres://user@host:port/database', (text) => (isPostgres(text) ? text : undefined), {
  variable: 'DATABASE_URL',
  secret: true,
});

const isPostgres = (text: string): boolean =>
  URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol);

/** What the gateway reads beside what every service reads. */
export const gatewayConfigSchema = baseConfigSchema.extend({
  ...httpSettings,
  databaseUrl: url,
  /** Connections to the database at most. */
  databaseConnections: wholeNumber(2, 200).default(10),
  /** Runs that ended longer ago are deleted, with all that belongs to them; unset: never. */
  retentionDays: wholeNumber(1, 36_500).optional(),
  /** Records of history that the shadow check folds each second, over all lanes; 0 switches it off. */
  shadowRate: wholeNumber(0, 1_000_000).default(500),
});
export type GatewayConfig = z.output<typeof gatewayConfigSchema>;
