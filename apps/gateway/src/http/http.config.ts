import { list, wholeNumber, yesOrNo } from '@holdfast/service';

/** How the gateway speaks HTTP: part of its configuration. */
export const httpSettings = {
  /** Origins whose pages may use the API: `https://example.org`, several with commas between. None where it is not set. */
  corsOrigins: list('origins like https://example.org, several with commas between', (origin) =>
    /^https?:\/\/[^\s/]+$/.test(origin),
  ).default([]),
  /** Requests to the API that one address may make in a minute; 0 for no bound. */
  ratePerMinute: wholeNumber(0, 10_000_000).default(6_000),
  /** Largest body of a request, bytes. */
  bodyBytes: wholeNumber(1_024, 16 * 1024 * 1024, 'bytes').default(1_000_000),
  /** Whether a proxy in front says whose request it is (`X-Forwarded-For`). */
  behindProxy: yesOrNo().default(false),
} as const;

export type HttpSettings = {
  readonly httpHost: string;
  readonly corsOrigins: readonly string[];
  readonly ratePerMinute: number;
  readonly bodyBytes: number;
  readonly behindProxy: boolean;
};
