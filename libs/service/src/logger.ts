import { masked } from '@holdfast/sdk';
import { pino, stdTimeFunctions, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type ServiceLogger = PinoLogger;

export type LoggerOptions = { readonly service: string; readonly instance: string; readonly logLevel: string };

const CONTENT = ['args', 'input', 'output', 'result', 'value', 'body', 'password', 'secret', 'token', 'authorization'];

/**
 * One JSON object a line on standard output, with service and instance in each. Fields with contents are left out,
 * secrets that this process knows are masked.
 */
export const createLogger = (options: LoggerOptions, destination?: DestinationStream): ServiceLogger => {
  const settings = {
    level: options.logLevel,
    base: { service: options.service, instance: options.instance },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...CONTENT, ...CONTENT.map((name) => `*.${name}`)], remove: true },
  };
  return pino(settings, masked(destination ?? pino.destination({ fd: 1, sync: true })));
};
