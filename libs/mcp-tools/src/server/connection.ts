import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { Following } from '../wire/following.js';
import { callsOnly, inScope, type CallScope } from '../wire/call-scope.js';
import { guardedFetch } from '../wire/guarded-fetch.js';
import { StdioTransport } from '../wire/stdio.js';
import { offeredSchema, type OfferedTool } from './offered.js';
import type { PrintedLines } from './printed-lines.js';

/** How a server is reached, with every secret in it. */
export type Endpoint = { readonly answerBytes: number } & (
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/** The answer to a call of a tool, as loosely as it can be read. */
const answerSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional().catch(undefined),
  isError: z.boolean().optional(),
});
export type Answer = z.infer<typeof answerSchema>;
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const PAGES_MAX = 100;
const TOOLS_MAX = 1_000;
const METHOD_NOT_FOUND: number = ErrorCode.MethodNotFound;
const PING_MS = 2_000;
/** Calls are bounded by their own signals; the SDK's time-out only has to be later than any of them. */
const LATE_MS = 0x7fffffff;

/** One life of a connection: from the handshake until either side has had enough. */
export class Connection {
  private constructor(
    private readonly client: Client,
    private readonly transport: Transport,
    private readonly state: { closed: boolean; changed: boolean; active: number; retired: boolean },
  ) {}

  /**
   * Starts the server or reaches it, and shakes hands. Whatever it asks of this side is refused. `signal` must not fire any
   * more once the connection is open.
   */
  static async open(endpoint: Endpoint, printed: PrintedLines, signal: AbortSignal): Promise<Connection> {
    const transport = callsOnly(transportTo(endpoint, printed));
    const state = { closed: false, changed: false, active: 0, retired: false };
    const client = Object.assign(new Client({ name: 'holdfast', version: '0.1.0' }, { capabilities: {} }), {
      onclose: () => void (state.closed = true),
    });
    client.fallbackRequestHandler = async ({ method }) => {
      printed.refused(method);
      throw new McpError(ErrorCode.MethodNotFound, `this client serves tools alone and offers no ${method}`);
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (state.changed = true));
    const connection = new Connection(client, transport, state);
    try {
      await client.connect(transport, { signal, timeout: LATE_MS });
      return connection;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  get closed(): boolean {
    return this.state.closed;
  }

  /** Whether the server has given it a session of its own. */
  get hasSession(): boolean {
    return this.transport.sessionId !== undefined;
  }

  get serverInfo(): { readonly name: string; readonly version: string } {
    const { name = 'unknown', version = 'unknown' } = this.client.getServerVersion() ?? {};
    return { name, version };
  }

  /** How the server's process, or else the connection to it, ended, in words. */
  get ended(): string {
    return this.transport instanceof StdioTransport ? this.transport.ended : 'the connection was closed';
  }

  /** Whether the server has said since the last time that its tools are not the same any more. */
  takeChanged(): boolean {
    const { changed } = this.state;
    this.state.changed = false;
    return changed;
  }

  /** It is to be asked again what it offers: asking has failed. */
  putChanged(): void {
    this.state.changed = true;
  }

  /** `signal` must not fire any more once the list is there. */
  async list(signal: AbortSignal): Promise<readonly OfferedTool[]> {
    const found: OfferedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX && found.length <= TOOLS_MAX; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.client.request({ method: 'tools/list', params }, pageSchema, {
        signal,
        timeout: LATE_MS,
      });
      found.push(...answer.tools.map((tool) => offeredSchema.parse(tool)));
      cursor = answer.nextCursor;
      if (cursor === undefined) return found;
    }
    throw new Error(`its list of tools does not end: more than ${TOOLS_MAX} tools or ${PAGES_MAX} pages`);
  }

  async call(name: string, args: Readonly<Record<string, unknown>>, scope: CallScope): Promise<Answer> {
    this.state.active += 1;
    const following = new Following(scope.signal);
    try {
      return await inScope(scope, () => this.answerTo({ name, arguments: { ...args } }, scope, following));
    } finally {
      following.release();
      this.state.active -= 1;
      if (this.state.retired && this.state.active === 0) void this.end();
    }
  }

  private answerTo(params: Record<string, unknown>, scope: CallScope, following: Following): Promise<Answer> {
    const lost = new Promise<never>((_, reject) => {
      scope.closed = (reason) => {
        reject(new Error(reason));
        if (!answered) following.abort(reason);
      };
    });
    let answered = false;
    const { signal } = following;
    const asked = this.client
      .request({ method: 'tools/call', params }, answerSchema, { signal, timeout: LATE_MS })
      .finally(() => (answered = true));
    return Promise.race([asked, lost]);
  }

  /** Whether it answers at all. */
  async ping(): Promise<boolean> {
    try {
      await this.client.ping({ timeout: PING_MS });
      return true;
    } catch (error) {
      // An answer that it knows no ping is an answer.
      return error instanceof McpError && error.code === METHOD_NOT_FOUND;
    }
  }

  /** Nothing more is asked of it; it ends when its last answer has come or is not waited for any more. */
  retire(): void {
    this.state.retired = true;
    if (this.state.active === 0) void this.end();
  }

  async end(): Promise<void> {
    await this.client.close().catch(() => undefined);
    await this.transport.close().catch(() => undefined);
    this.state.closed = true;
  }
}

const transportTo = (endpoint: Endpoint, printed: PrintedLines): Transport => {
  if (endpoint.kind === 'stdio') return new StdioTransport(endpoint, printed);
  const { url, headers, answerBytes } = endpoint;
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: guardedFetch(answerBytes),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  }) as Transport;
};
