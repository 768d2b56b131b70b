import { setting } from './settings.js';

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** What services tell those who watch them, beside what they tell anyway. */
export const telemetrySettings = {
  traceEndpoint: setting('an http or https URL such as http://localhost:4318/v1/traces', (text) =>
    isHttp(text) ? text : undefined,
  )
    .optional()
    .describe('where spans go, over OTLP/HTTP; nothing is traced without it'),
  traceRatio: setting('a number from 0 to 1', (text) => {
    const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
    return ratio >= 0 && ratio <= 1 ? ratio : undefined;
  })
    .default(1)
    .describe('share of runs that are traced, where their submitter does not say'),
};
