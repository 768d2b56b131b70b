import ms from 'ms';
import { InvalidArgumentError } from 'commander';

/** `30s`, `5m`, `2h` as ms, for an option of the command line. */
export const duration = (text: string): number => {
  // The library reads a bare number as ms and accepts negative ones; here both are more likely a slip.
  const value = /^\d+(\.\d+)?\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : Number.NaN;
  if (!Number.isFinite(value))
    throw new InvalidArgumentError('give a number with its unit, such as 500ms, 30s, 5m or 2h');
  return Math.round(value);
};
