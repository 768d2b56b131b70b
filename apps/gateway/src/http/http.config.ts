import { list, oneOf, wholeNumber, yesOrNo } from '@holdfast/service';
import { authSettings, type AuthSettings } from './auth/auth.config.js';

/** How the gateway speaks HTTP: part of its configuration. */
export const httpSettings = {
  ...authSettings,
  corsOrigins: list('origins like https://example.org, several with commas between', (origin) =>
    /^https?:\/\/[^\s/]+$/.test(origin),
  )
    .default([])
    .describe('origins whose pages may use the API'),
  ratePerMinute: wholeNumber(0, 10_000_000)
    .default(6_000)
    .describe(
      'requests to the API of one principal, or one address where nobody is asked, in a minute; 0 for no bound',
    ),
  addressRatePerMinute: wholeNumber(0, 10_000_000)
    .default(60_000)
    .describe('requests to the API from one address in a minute, whoever sends them; 0 for no bound'),
  bodyBytes: wholeNumber(1_024, 16 * 1024 * 1024, 'bytes')
    .default(1_000_000)
    .describe('the largest body of a request'),
  mcp: oneOf('off', 'read', 'write')
    .default('off')
    .describe('what models may do at /mcp: nothing, only look, or all that the roles of their token allow'),
  behindProxy: yesOrNo().default(false).describe('whether a proxy in front says whose request it is (X-Forwarded-For)'),
} as const;

export type HttpSettings = AuthSettings & {
  readonly httpHost: string;
  readonly corsOrigins: readonly string[];
  readonly ratePerMinute: number;
  readonly addressRatePerMinute: number;
  readonly bodyBytes: number;
  readonly behindProxy: boolean;
  readonly mcp: 'off' | 'read' | 'write';
};
