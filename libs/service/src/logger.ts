import { pino, stdTimeFunctions, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type ServiceLogger = PinoLogger;

export type LoggerOptions = { readonly service: string; readonly instance: string; readonly logLevel: string };

/** What a line is about. Arguments, inputs and results have no place in a log. */
export type LogBindings = {
  readonly run?: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly lane?: number;
};

const CONTENT = ['args', 'input', 'output', 'result', 'value', 'body', 'password', 'secret', 'token', 'authorization'];

/** One JSON object a line on standard output, with service and instance in each. Fields with contents are left out. */
export const createLogger = (options: LoggerOptions, destination?: DestinationStream): ServiceLogger => {
  const settings = {
    level: options.logLevel,
    base: { service: options.service, instance: options.instance },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...CONTENT, ...CONTENT.map((name) => `*.${name}`)], remove: true },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
};

/** A logger whose lines all say what they are about. */
export const about = (logger: ServiceLogger, bindings: LogBindings): ServiceLogger => logger.child(bindings);
