import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { boundText, isRefusal, isToolFailure, ToolFailure, type Logger } from '@holdfast/sdk';
import type { CallScope } from '../wire/call-scope.js';
import { Following } from '../wire/following.js';
import { TOO_LARGE } from '../wire/stdio.js';
import { Connection, type Answer, type Endpoint } from './connection.js';
import { shapeOf, type OfferedTool, type Pin } from './offered.js';
import { PrintedLines } from './printed-lines.js';
import { Slots } from './slots.js';

export type ServerOptions = {
  readonly name: string;
  /** Where it is configured, for messages: `mcp.notes in tools.yaml`. */
  readonly place: string;
  readonly endpoint: Endpoint;
  readonly startMs: number;
  readonly concurrency: number;
};
export type ServerPorts = { readonly logger: Logger; readonly monotonic: () => number };

const BACKOFF_FIRST_MS = 250;
const BACKOFF_MAX_MS = 30_000;
const MESSAGE_BYTES = 2_000;

/** The server's own word that a call failed. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}

/**
 * One MCP server as this process sees it. It is started when it is needed, and again after it has gone, later and later
 * while it does not even start; a call that has left is never sent again by it.
 */
export class McpServer {
  private opening: Promise<Connection> | null = null;
  private connection: Connection | null = null;
  private listing: Promise<void> | null = null;
  private offered: ReadonlyMap<string, OfferedTool> = new Map();
  private expected: ReadonlyMap<string, string> = new Map();
  private failures = 0;
  private notBefore = -Infinity;
  private readonly closing = new AbortController();
  private readonly slots: Slots;
  private readonly printed: PrintedLines;

  constructor(
    readonly options: ServerOptions,
    private readonly ports: ServerPorts,
  ) {
    this.slots = new Slots(options.concurrency);
    this.printed = new PrintedLines(options.name, ports.logger, ports.monotonic);
  }

  /** What it offers now, asked of the server. */
  async describe(): Promise<Pin> {
    const connection = await this.connected();
    return { server: connection.serverInfo, tools: [...this.offered.values()] };
  }

  /** The shapes that were published: a tool that has another one by now is not called. */
  expect(tools: readonly OfferedTool[]): void {
    this.expected = new Map(tools.map((tool) => [tool.name, shapeOf(tool)]));
  }

  /**
   * Calls a tool once. Throws `ServerRefused` with the server's own word; a `ToolFailure` with effect `none` where the call
   * surely was not sent, and with effect `unknown` where it may have been.
   */
  async call(tool: string, args: Readonly<Record<string, unknown>>, scope: CallScope): Promise<Answer> {
    if (!(await this.slots.take(scope.signal)))
      throw this.notSent('mcp_busy', 'its other calls have not ended in time');
    try {
      const connection = await this.ready(tool, scope.signal);
      return await this.callOn(connection, tool, { args, scope });
    } finally {
      this.slots.give();
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    const opening = this.opening?.catch(() => null);
    await Promise.all([this.connection?.end(), opening?.then((connection) => connection?.end())]);
  }

  private async callOn(
    connection: Connection,
    tool: string,
    { args, scope }: { readonly args: Readonly<Record<string, unknown>>; readonly scope: CallScope },
  ): Promise<Answer> {
    try {
      const answer = await connection.call(tool, args, scope);
      this.failures = 0;
      return answer;
    } catch (error) {
      if (scope.signal.aborted && scope.sent) void this.look(connection);
      throw this.failureOf(error, connection, scope);
    }
  }

  private failureOf(error: unknown, connection: Connection, scope: CallScope): Error {
    if (isToolFailure(error)) return error as Error;
    const said = error instanceof Error ? error.message : String(error);
    if (!scope.sent) return this.notSent('mcp_not_sent', said, error);
    const unsure = (code: string, reason: string, retry: 'later' | 'never' = 'later'): ToolFailure =>
      new ToolFailure(this.about(reason), { code, retry, effect: 'unknown', cause: error });
    if (scope.signal.aborted) return unsure('mcp_no_answer', 'it had not answered when the call had to end');
    if (connection.closed) {
      this.gone(connection);
      return unsure('mcp_server_gone', `it was gone before it answered: ${connection.ended}${this.printed.tail()}`);
    }
    if (said.includes(TOO_LARGE)) return unsure('mcp_answer_too_large', said, 'never');
    if (scope.status === 404 && connection.hasSession) {
      this.forget(connection);
      // By the protocol whoever gets this answer begins anew: the call was not taken.
      return this.notSent('mcp_session_over', 'it does not know the session any more, a new one is opened', error);
    }
    if (error instanceof McpError || isRefusal(scope.status ?? null))
      return new ServerRefused(boundText(said, MESSAGE_BYTES));
    return unsure('mcp_connection_failed', said);
  }

  /** A connection on which the tool is what was published. */
  private async ready(tool: string, signal: AbortSignal): Promise<Connection> {
    const connection = await this.unless(signal, this.connected());
    await this.unless(signal, this.refreshed(connection));
    const problem = this.changed(tool);
    if (problem === null) return connection;
    throw new ToolFailure(this.about(problem), { code: 'mcp_tool_changed', retry: 'never', effect: 'none' });
  }

  /** What it offers is known again, if it has said that it offers something else. Nobody goes on before. */
  private async refreshed(connection: Connection): Promise<void> {
    if (connection.takeChanged()) {
      this.ports.logger.warn({ server: this.options.name }, 'an MCP server says that its tools have changed');
      this.listing = this.listAnew(connection).finally(() => (this.listing = null));
    }
    await this.listing;
  }

  private async listAnew(connection: Connection): Promise<void> {
    const following = new Following(AbortSignal.timeout(this.options.startMs));
    try {
      await this.list(connection, following.signal);
    } catch (error) {
      connection.putChanged();
      throw error;
    } finally {
      following.release();
    }
  }

  private changed(tool: string): string | null {
    const wanted = this.expected.get(tool);
    const found = this.offered.get(tool);
    const mend = `give the server another version in ${this.options.place} (and pin it anew, if it is pinned), then restart executors and reconcilers`;
    if (found === undefined) return `it has no tool ${tool} any more: ${mend}`;
    if (wanted === undefined || wanted === shapeOf(found)) return null;
    return `the arguments or the result of its tool ${tool} are not those that were published: ${mend}`;
  }

  private async connected(): Promise<Connection> {
    if (this.connection !== null && !this.connection.closed) return this.connection;
    if (this.closing.signal.aborted) throw this.notSent('mcp_closed', 'this process is ending');
    if (this.connection !== null) this.gone(this.connection);
    const waits = this.notBefore - this.ports.monotonic();
    if (this.opening === null && waits > 0) {
      throw new ToolFailure(this.about('it has just ended or not started, and is started again a little later'), {
        code: 'mcp_server_down',
        retry: 'later',
        effect: 'none',
        retryAfterMs: Math.ceil(waits),
      });
    }
    this.opening ??= this.open().finally(() => (this.opening = null));
    return this.opening;
  }

  private async open(): Promise<Connection> {
    const { endpoint, startMs } = this.options;
    const late = AbortSignal.timeout(startMs);
    const following = new Following(late, this.closing.signal);
    const { signal } = following;
    let connection: Connection | null = null;
    try {
      connection = await Connection.open(endpoint, this.printed, signal);
      await this.list(connection, signal);
      this.connection = connection;
      return connection;
    } catch (error) {
      await connection?.end();
      this.backOff();
      const said = error instanceof Error ? error.message : String(error);
      const reason = late.aborted ? `it did not answer within startMs (${startMs} ms)` : said;
      throw this.notSent('mcp_server_down', `it cannot be used: ${reason}${this.printed.tail()}`, error);
    } finally {
      following.release();
    }
  }

  private async list(connection: Connection, signal: AbortSignal): Promise<void> {
    const tools = await connection.list(signal);
    this.offered = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Whoever waits gives up at its deadline; what is waited for goes on, for the next one. */
  private unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(this.notSent('mcp_not_ready', 'it was not ready when the call had to end'));
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      const failed = (error: unknown): void => reject(isToolFailure(error) ? error : this.notReady(error));
      work.then(resolve, failed).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  /** A server that let a call wait in vain and answers nothing else either is left. */
  private async look(connection: Connection): Promise<void> {
    if (connection.closed || (await connection.ping())) return;
    this.ports.logger.warn({ server: this.options.name }, 'an MCP server does not answer any more and is left');
    this.forget(connection);
  }

  private forget(connection: Connection): void {
    if (this.connection === connection) this.connection = null;
    connection.retire();
  }

  private gone(connection: Connection): void {
    if (this.connection !== connection) return;
    this.connection = null;
    this.backOff();
    this.ports.logger.warn({ server: this.options.name, ended: connection.ended }, 'an MCP server is gone');
    // Its streams may be closed and its process not.
    void connection.end();
  }

  private backOff(): void {
    const ms = Math.min(BACKOFF_FIRST_MS * 2 ** this.failures, BACKOFF_MAX_MS);
    this.failures = Math.min(this.failures + 1, 16);
    this.notBefore = this.ports.monotonic() + ms;
  }

  private notSent(code: string, reason: string, cause?: unknown): ToolFailure {
    return new ToolFailure(this.about(reason), { code, retry: 'later', effect: 'none', cause });
  }

  private notReady(error: unknown): ToolFailure {
    return this.notSent('mcp_not_ready', error instanceof Error ? error.message : String(error), error);
  }

  private about(reason: string): string {
    return boundText(`MCP server ${this.options.name}: ${reason}`, MESSAGE_BYTES);
  }
}
