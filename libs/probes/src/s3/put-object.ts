import {
  absent,
  applied,
  InvalidTool,
  sha256,
  ToolFailure,
  unknown,
  type Retry,
  type Tool,
  type ToolFetch,
  type ToolResponse,
  type ToolVerdict,
} from '@holdfast/sdk';
import { z } from 'zod';
import { defineProbe, type Mark, type ProbeSettings } from '../probe.js';
import { keyProblem, MARKER } from './object-key.js';
import { askStore, type Store } from './store.js';

export type PutObject = ProbeSettings & {
  readonly store: Store;
  /** What the name of every object begins with; default nothing. */
  readonly prefix?: string | undefined;
  /** Whether an object that is there may be replaced; default not. */
  readonly overwrite?: boolean | undefined;
};

const input = z.strictObject({
  /** `{marker}` in it stands for a text that no other step has. */
  key: z.string().min(1),
  content: z.string(),
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
  contentType: z
    .string()
    .max(200)
    .regex(/^[\x20-\x7e]*$/)
    .optional(),
});
const output = z.strictObject({
  bucket: z.string(),
  key: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  etag: z.string().nullable(),
});
type Args = z.output<typeof input>;
type Result = z.output<typeof output>;

const DEFAULTS = { timeoutMs: 30_000, settleMs: 30_000 } as const;
const KEY_HEADER = 'x-amz-meta-holdfast-key';

/**
 * Puts an object, once for each step: the object carries the step's marker in its metadata, and is put on condition that
 * nothing is there (or, to replace, that nothing has changed since it was looked at). Settle window 30 s: stores give up
 * a request whose client has gone within seconds. One that lands even later meets the condition and changes nothing, once
 * a next attempt has put the object.
 */
export const putObject = (settings: PutObject): Tool<Args, z.input<typeof output>> => {
  const { store, prefix = '', overwrite = false } = settings;
  if (store.endpoint !== undefined && !isHttp(store.endpoint)) {
    throw new InvalidTool(
      `tool ${settings.name}@${settings.version}: endpoint "${store.endpoint}" is no URL of http or https`,
    );
  }
  return defineProbe(settings, {
    ...DEFAULTS,
    input: input.refine(({ key }) => keyProblem(`${prefix}${key}`) === null, {
      error: ({ input: given }) => `key: ${keyProblem(`${prefix}${(given as Args).key}`) ?? 'it does not fit'}`,
    }),
    output,
    act: (args, { fetch }, mark) => new Putting(store, fetch, wanted(args, { prefix, mark })).put(overwrite),
    look: (args, { fetch }, mark) => new Putting(store, fetch, wanted(args, { prefix, mark })).look(),
  });
};

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

type Wanted = {
  readonly key: string;
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly marker: string;
};

const wanted = (args: Args, { prefix, mark }: { readonly prefix: string; readonly mark: Mark }): Wanted => ({
  key: `${prefix}${args.key}`.replaceAll(MARKER, mark.marker),
  bytes: Buffer.from(args.content, args.encoding),
  contentType: args.contentType,
  marker: mark.marker,
});

/** One object that is to be there. */
class Putting {
  constructor(
    private readonly store: Store,
    private readonly fetch: ToolFetch,
    private readonly wanted: Wanted,
  ) {}

  async put(overwrite: boolean): Promise<Result> {
    const condition = overwrite ? await this.asItIsNow() : { 'if-none-match': '*' };
    if (condition === 'ours') return this.resultOf(await this.head());
    const { key, bytes, contentType, marker } = this.wanted;
    const headers = {
      ...condition,
      [KEY_HEADER]: marker,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    };
    const answer = await askStore(this.store, this.fetch, {
      method: 'PUT',
      key,
      body: bytes,
      headers,
      accept: [301, 307, 409, 412],
    });
    if (answer.status < 400 && !answer.ok) throw this.failure('store_elsewhere', elsewhere(answer), 'never');
    if (answer.status === 409) throw this.failure('object_is_being_put', 'another request is putting it', 'now');
    return answer.status === 412 ? this.onConflict(overwrite) : this.resultOf(answer);
  }

  async look(): Promise<ToolVerdict<Result>> {
    const answer = await this.head();
    const where = `${this.store.bucket}/${this.wanted.key}`;
    if (answer.status === 404) return absent(`there is no object ${where}`);
    const details = {
      etag: answer.headers['etag'] ?? null,
      marker: markerOf(answer),
      lastModified: answer.headers['last-modified'] ?? null,
    };
    return this.isOurs(answer)
      ? applied(this.resultOf(answer), { summary: `${where} carries the marker of this step`, details })
      : unknown({ summary: `${where} was put by somebody else: before this step, or after it`, details });
  }

  /** The condition under which nothing has changed meanwhile. */
  private async asItIsNow(): Promise<Record<string, string> | 'ours'> {
    const answer = await this.head();
    if (answer.status === 404) return { 'if-none-match': '*' };
    if (this.isOurs(answer)) return 'ours';
    const etag = answer.headers['etag'];
    if (etag === undefined)
      throw this.failure(
        'object_without_etag',
        'the store names no ETag for it, so it cannot be replaced safely',
        'never',
      );
    return { 'if-match': etag };
  }

  /** Somebody was first: this step itself, in an earlier attempt, or another. */
  private async onConflict(overwrite: boolean): Promise<Result> {
    const answer = await this.head();
    if (this.isOurs(answer)) return this.resultOf(answer);
    if (overwrite) throw this.failure('object_changed', 'it was changed while it was to be replaced', 'now');
    throw this.failure('object_exists', 'there is one already, and it was not put by this step', 'never');
  }

  private head(): Promise<ToolResponse> {
    return askStore(this.store, this.fetch, { method: 'HEAD', key: this.wanted.key, accept: [404] });
  }

  private isOurs(answer: ToolResponse): boolean {
    return answer.ok && markerOf(answer) === this.wanted.marker;
  }

  private resultOf(answer: ToolResponse): Result {
    const { key, bytes } = this.wanted;
    return {
      bucket: this.store.bucket,
      key,
      bytes: bytes.length,
      sha256: sha256(bytes),
      etag: answer.headers['etag'] ?? null,
    };
  }

  private failure(code: string, why: string, retry: Retry): ToolFailure {
    return new ToolFailure(`${this.store.bucket}/${this.wanted.key} was not put: ${why}`, {
      code,
      retry,
      effect: 'none',
    });
  }
}

const markerOf = (answer: ToolResponse): string | null => answer.headers[KEY_HEADER] ?? null;

const elsewhere = ({ status, headers }: ToolResponse): string =>
  `the store answered ${status}: the bucket is elsewhere (region ${headers['x-amz-bucket-region'] ?? 'not named'}); mend region and endpoint`;
