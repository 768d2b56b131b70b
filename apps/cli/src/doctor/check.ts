export const results = ['ok', 'warn', 'fail'] as const;
export type CheckResult = (typeof results)[number];

/** One thing that was looked at: what was found, and what to do where it is not as it should be. */
export type Check = {
  readonly check: string;
  readonly result: CheckResult;
  readonly detail: string;
  readonly advice: string | null;
};

export const ok = (check: string, detail: string): Check => ({ check, result: 'ok', detail, advice: null });
export const warn = (check: string, detail: string, advice: string): Check => ({
  check,
  result: 'warn',
  detail,
  advice,
});
export const fail = (check: string, detail: string, advice: string): Check => ({
  check,
  result: 'fail',
  detail,
  advice,
});
