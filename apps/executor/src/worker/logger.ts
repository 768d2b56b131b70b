import { masked, type Logger } from '@holdfast/sdk';
import { pino, stdTimeFunctions } from 'pino';

/** Fields that hold what runs are about; that has no place in a log. */
const CONTENT = ['args', 'input', 'output', 'result', 'value', 'body', 'password', 'secret', 'token', 'authorization'];

/** One JSON object a line on standard output, without secrets, like the parent's. */
export const workerLogger = (instance: string, level: string): Logger =>
  pino(
    {
      level,
      base: { service: 'executor-worker', instance },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...CONTENT, ...CONTENT.map((name) => `*.${name}`)], remove: true },
    },
    masked(pino.destination({ fd: 1, sync: true })),
  );
