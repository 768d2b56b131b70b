import { hostname } from 'node:os';
import { DEFAULTS } from '@holdfast/events';
import { z } from 'zod';
import { telemetrySettings } from './telemetry-settings.js';
import { kafkaSettings } from './kafka-settings.js';
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
 * `HOLDFAST_LEASE_MS`; only the brokers are `KAFKA_BROKERS`. Extend it with `baseConfigSchema.extend({ … })`, and say of
 * each setting what it is for (`describe`): `--print-config` and the documents are made of that.
 */
export const baseConfigSchema = z.object({
  kafkaBrokers: brokers.describe('brokers of the cluster'),
  ...kafkaSettings,
  namespace: namespace.default('holdfast').describe('prefix of all topics and groups'),
  lanes: wholeNumber(1, 1_024)
    .default(DEFAULTS.lanes)
    .describe('number of lanes, fixed for the life of a namespace and the same for all its services'),
  queues: queues.default({ default: 4 }).describe('queues with their partitions, the same for all services'),
  tools: list('paths or package names with commas between', () => true)
    .default([])
    .describe('modules and tool files (.yaml, .yml, .json) with tools, for executors and reconcilers'),
  secrets: list('names of variables with commas between', (part) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(part))
    .default([])
    .describe(
      'variables with secrets that tools read by themselves, each also as a file named by <variable>_FILE: masked',
    ),
  httpPort: wholeNumber(0, 65_535).default(0).describe('port to listen on; 0 takes a free one'),
  httpHost: setting('a host name or address', (text) => (/^\S+$/.test(text) ? text : undefined))
    .default('127.0.0.1')
    .describe('address to listen on'),
  logLevel: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal')
    .default('info')
    .describe('the least level that is logged'),
  instance: setting('1 to 100 visible characters', (text) => (/^\S{1,100}$/.test(text) ? text : undefined))
    .default(() => `${hostname()}-${process.pid}`)
    .meta({ description: 'how the process is called in logs', defaultText: 'host name and process id' }),
  leaseMs: millis(100)
    .default(DEFAULTS.leaseMs)
    .describe('silence after which a session counts as lost; at least three heartbeats'),
  heartbeatMs: millis(10).default(DEFAULTS.heartbeatMs).describe('pause between heartbeats'),
  skewMs: millis(10).default(DEFAULTS.skewMs).describe('how far clocks may be apart'),
  graceMs: millis(0).default(DEFAULTS.graceMs).describe('how long after its deadline a call is waited for'),
  startByMs: millis(100, 86_400_000)
    .default(DEFAULTS.startByMs)
    .describe('how long after scheduling an attempt may begin'),
  drainMs: millis(0).default(DEFAULTS.drainMs).describe('time for stopping in order'),
  ...telemetrySettings,
});
export type BaseConfig = z.output<typeof baseConfigSchema>;
