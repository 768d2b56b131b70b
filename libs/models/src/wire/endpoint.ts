import type { ModelReply } from '@holdfast/programs';
import { withReferencedSecrets } from '@holdfast/sdk';
import { failureOf, modelFailure, stopped, type About } from '../failures.js';
import { keyNameOf, keyOf, maskKey, type ModelKey } from '../key.js';
import type { CompleteOptions } from '../model.js';
import { withDeadline } from './deadline.js';
import { httpFetch, type Fetch } from './http-fetch.js';

/** What every adapter is told of its endpoint. */
export type EndpointOptions = {
  /** Which model, as the endpoint names it. */
  readonly model: string;
  /** Where its API begins; a password in it is refused. */
  readonly url?: string;
  readonly key: ModelKey;
  /** Headers for every request. A secret stands there as `{ $env: NAME }`, or as `${env:NAME}` in a text. */
  readonly headers?: Readonly<Record<string, string | { readonly $env: string }>>;
  /** Settings for every request, such as `temperature`, as the endpoint names them. A request may say otherwise. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether the answer is asked for piece by piece. Default true. */
  readonly stream?: boolean;
  /** How a request is sent; default one on node:http without time-outs of its own. It must not try again. */
  readonly fetch?: Fetch;
};

/** What one call of a client needs. */
export type Sending = {
  readonly key: string | null;
  readonly fetch: Fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Until the deadline. */
  readonly ms: number;
};

type Api = {
  /** Where it is, unless somebody says otherwise. */
  readonly url: string;
  /** What a call says by itself, and no setting may. */
  readonly own: readonly string[];
};

/** What adapters have in common: names, keys, deadlines and failures. */
export class Endpoint {
  readonly url: string;
  readonly label: string;

  constructor(
    private readonly options: EndpointOptions,
    private readonly api: Api,
  ) {
    checkOptions(options);
    this.url = checkedUrl(options.url ?? api.url);
    this.label = `model ${options.model} at ${this.url}`;
    const problem = this.problemOf(options.settings ?? {});
    if (problem !== null) throw new TypeError(problem);
    maskKey(options.key, this.label);
  }

  /** Sends one request by `ask`, and turns whatever goes wrong into a failure that says what happens next. */
  async call(options: CompleteOptions, ask: (sending: Sending) => Promise<ModelReply>): Promise<ModelReply> {
    const key = keyOf(this.options.key, this.label);
    const about: About = { label: this.label, keyName: keyNameOf(this.options.key), ...options };
    const headers = { ...headersOf(options), ...this.ownHeaders() };
    const { signal, ms, close } = withDeadline(options);
    try {
      const reply = await ask({ key, fetch: this.fetchOf(options), headers, signal, ms });
      const late = signal.aborted ? stopped(about) : null;
      if (late !== null) throw late;
      return reply;
    } catch (error) {
      throw failureOf(error, about);
    } finally {
      close();
    }
  }

  /** The settings of a request over those of the model. */
  settings(given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const problem = this.problemOf(given);
    if (problem !== null) throw modelFailure('model_request_refused', `${this.label}: ${problem}`);
    return { ...this.options.settings, ...given };
  }

  private problemOf(settings: object): string | null {
    const wrong = this.api.own.filter((name) => Object.hasOwn(settings, name));
    return wrong.length === 0 ? null : `${wrong.join(', ')} cannot be a setting: the call itself says it`;
  }

  private ownHeaders(): Record<string, string> {
    try {
      return withReferencedSecrets(this.options.headers ?? {}) as Record<string, string>;
    } catch (error) {
      throw modelFailure('model_not_configured', `${this.label} cannot be asked: headers.${(error as Error).message}`);
    }
  }

  private fetchOf({ beforeSend = () => undefined }: CompleteOptions): Fetch {
    const { fetch } = this.options;
    if (fetch === undefined) return httpFetch(beforeSend);
    return (url, init) => {
      beforeSend();
      return fetch(url, init);
    };
  }
}

const headersOf = ({ key, traceparent }: CompleteOptions): Record<string, string> => ({
  'idempotency-key': key,
  ...(traceparent === undefined ? {} : { traceparent }),
});

/** What only plain JavaScript can get wrong. */
const checkOptions = ({ model, key }: Partial<EndpointOptions>): void => {
  if (typeof model !== 'string' || model === '')
    throw new TypeError('a model needs its name: model, as the endpoint names it');
  const named = typeof key === 'object' && key !== null && typeof key.$env === 'string' && key.$env !== '';
  if (key === null || named || (typeof key === 'string' && key !== '')) return;
  throw new TypeError('a model needs key: { $env: NAME } with the variable that holds it, or null where there is none');
};

const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError(`the URL of a model must begin with http:// or https://, and is ${JSON.stringify(text)}`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`the URL of a model must hold no user and no password: give the key as { $env: NAME }`);
  return text.replace(/\/+$/, '');
};
