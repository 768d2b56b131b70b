import { hostname } from 'node:os';
import { DEFAULTS } from '@holdfast/events';
import { z } from 'zod';
import { list, millis, oneOf, setting, wholeNumber } from './settings.js';

const BROKER = /^[^\s:,]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/;
const QUEUE = /^([a-z][a-z0-9-]{0,49}):(\d{1,4})$/;

const brokers = list('host:port, several with commas between', (part) => BROKER.test(part), {
  variable: 'KAFKA_BROKERS',
}).refine((all) => all.length > 0, 'host:port, several with commas between');

const namespace = setting('1 to 100 letters, digits, dots, _ or -', (text) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) ? text : undefined,
);

/** `default:4,slow:2`: partitions by queue. */
const queues = setting('queue:partitions, several with commas between, for example default:4', (text) => {
  const found: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, queue, partitions] = QUEUE.exec(part.trim()) ?? [];
    if (queue === undefined || Number(partitions) < 1 || Object.hasOwn(found, queue)) return undefined;
    found[queue] = Number(partitions);
  }
  return found as Readonly<Record<string, number>>;
});

/**
 * What every service reads. A key is the variable `HOLDFAST_<KEY IN CAPITALS>`, for example `leaseMs` is
 * `HOLDFAST_LEASE_MS`; only the brokers are `KAFKA_BROKERS`. Extend it with `baseConfigSchema.extend({ … })`.
 */
export const baseConfigSchema = z.object({
  kafkaBrokers: brokers,
  namespace: namespace.default('holdfast'),
  /** Fixed for the life of a namespace. */
  lanes: wholeNumber(1, 1_024).default(DEFAULTS.lanes),
  queues: queues.default({ default: 4 }),
  /** Modules with tools: paths or package names. */
  tools: list('paths or package names with commas between', () => true).default([]),
  /** 0 takes a free port. */
  httpPort: wholeNumber(0, 65_535).default(0),
  httpHost: setting('a host name or address', (text) => (/^\S+$/.test(text) ? text : undefined)).default('127.0.0.1'),
  logLevel: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal').default('info'),
  /** How this process is called in logs. */
  instance: setting('1 to 100 visible characters', (text) => (/^\S{1,100}$/.test(text) ? text : undefined)).default(
    () => `${hostname()}-${process.pid}`,
  ),
  leaseMs: millis(100).default(DEFAULTS.leaseMs),
  heartbeatMs: millis(10).default(DEFAULTS.heartbeatMs),
  skewMs: millis(10).default(DEFAULTS.skewMs),
  graceMs: millis(0).default(DEFAULTS.graceMs),
  startByMs: millis(100, 86_400_000).default(DEFAULTS.startByMs),
  drainMs: millis(0).default(DEFAULTS.drainMs),
});
export type BaseConfig = z.output<typeof baseConfigSchema>;
