import type { LoggerService } from '@nestjs/common';
import type { ServiceLogger } from '../logger.js';

/** Nest's own lines in the service's log; what it merely tells goes to `debug`. */
export const nestLogger = (logger: ServiceLogger): LoggerService => {
  const line = (level: 'debug' | 'warn' | 'error') => (message: unknown) =>
    logger[level]({ by: 'nest' }, message instanceof Error ? message.message : String(message));
  return { log: line('debug'), debug: line('debug'), verbose: line('debug'), warn: line('warn'), error: line('error') };
};
