import type { Query } from '../api/endpoints.js';

/** What the list of runs is narrowed to. All of it stands in the address, so that it can be sent to somebody. */
export type RunFilters = {
  readonly status: readonly string[];
  readonly reason: readonly string[];
  readonly label: readonly string[];
  readonly text: string;
  /** `1h`, `24h`, `7d`: from so long ago on. */
  readonly since: string;
  readonly from: string;
  readonly to: string;
  readonly tenant: string;
};

const texts = ['text', 'since', 'from', 'to', 'tenant'] as const;
const lists = ['status', 'reason', 'label'] as const;

export const readFilters = (params: URLSearchParams): RunFilters => {
  const text = (name: string): string => params.get(name) ?? '';
  const list = (name: string): readonly string[] => params.getAll(name).filter((one) => one !== '');
  return {
    status: list('status'),
    reason: list('reason'),
    label: list('label').filter(isLabel),
    text: text('text').slice(0, 200),
    since: text('since') in spans ? text('since') : '',
    from: text('from'),
    to: text('to'),
    tenant: text('tenant'),
  };
};

/** The address for these filters: what is empty does not stand in it. */
export const writeFilters = (filters: RunFilters): URLSearchParams => {
  const params = new URLSearchParams();
  for (const name of lists) for (const value of filters[name]) params.append(name, value);
  for (const name of texts) if (filters[name] !== '') params.set(name, filters[name]);
  return params;
};

export const isFiltered = (filters: RunFilters): boolean => writeFilters(filters).size > 0;

export const isLabel = (text: string): boolean => /^[^=\s][^=]*=.+$/.test(text);

const HOUR = 3_600_000;
export const spans: Readonly<Record<string, number>> = {
  '1h': HOUR,
  '24h': 24 * HOUR,
  '7d': 168 * HOUR,
  '30d': 720 * HOUR,
};

/** A length of time begins on the full minute, so that the question stays the same for that long. */
const MINUTE = 60_000;
const moment = (local: string): number | undefined => {
  const at = local === '' ? Number.NaN : new Date(local).getTime();
  return Number.isNaN(at) ? undefined : at;
};

/** What the gateway is asked for. */
export const runsQuery = (filters: RunFilters, now: number): Query => {
  const { status, reason, label, text, tenant, since } = filters;
  const span = spans[since];
  const from = span === undefined ? moment(filters.from) : Math.floor((now - span) / MINUTE) * MINUTE;
  return { status, reason, label, text, tenant, acceptedFrom: from, acceptedTo: moment(filters.to) };
};

/** With the value where it was not there, without it where it was. */
export const toggled = (values: readonly string[], value: string): readonly string[] =>
  values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
