import { spawn, type ChildProcess } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { scopeNow } from './call-scope.js';
import { Lines, type LongLine } from './lines.js';
import { endsWithUs, signalTree } from './process-tree.js';

export type StdioSettings = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly answerBytes: number;
};

/** What a server prints that is no message. */
export type Printed = { stderr(line: string): void; garbage(line: string): void };

const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'] as const;
const PRINTED_LINE_BYTES = 8_192;
/** Answers to what a server asks wait for it too, and it may ask without end. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
const STEP_MS = 1_000;
/** JSON-RPC's code for what went wrong inside. */
const INTERNAL_ERROR = -32_603;

/**
 * A server as a child process. Unlike the SDK's own transport it bounds what it reads of each message, asks the guard in
 * the tick in which a call is written, keeps what is printed beside messages away from this process's own streams, and
 * ends what the command has started as well.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private child: ChildProcess | null = null;
  private over = false;
  /** How the process ended, in words. */
  ended = 'it has not been started';

  constructor(
    private readonly settings: StdioSettings,
    private readonly printed: Printed,
  ) {}

  start(): Promise<void> {
    const { command, args, env, cwd } = this.settings;
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd, env: { ...inherited(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
      this.child = child;
      endsWithUs(child);
      this.read(child);
      child.once('spawn', () => {
        this.ended = 'its input is closed';
        resolve();
      });
      child.once('error', (error) => {
        this.ended = error.message;
        reject(error);
        this.finish();
      });
      // What it has started may hold its streams open for longer than it lives.
      child.once('exit', (code, signal) => {
        this.ended = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
        setTimeout(() => closeStreams(child), STEP_MS).unref();
      });
      child.once('close', () => this.finish());
      child.stdin?.on('error', (error) => this.onerror?.(error));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    const text = `${JSON.stringify(message)}\n`;
    if (this.over || !stdin?.writable) throw new Error(`nothing can be written to the server: ${this.ended}`);
    if (stdin.writableLength > UNREAD_BYTES_MAX) {
      void this.close();
      throw new Error(`the server does not read what it is sent: ${stdin.writableLength} bytes wait for it`);
    }
    const scope = scopeNow();
    scope?.guard();
    if (scope !== undefined) scope.sent = true;
    stdin.write(text);
  }

  /** The end of its input, then SIGTERM, then SIGKILL; what is left of it a second later each time. */
  async close(): Promise<void> {
    const { child } = this;
    if (child === null || this.over) return;
    const gone = exitOf(child);
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await within(STEP_MS, gone)) break;
      signalTree(child, signal);
    }
    closeStreams(child);
    await gone;
    this.finish();
  }

  private read({ stdout, stderr }: ChildProcess): void {
    const messages = new Lines(this.settings.answerBytes, {
      line: (text) => this.receive(text),
      long: (line) => this.receiveLong(line),
    });
    const printed = new Lines(PRINTED_LINE_BYTES, {
      line: (text) => this.printed.stderr(text),
      long: ({ head, bytes }) => this.printed.stderr(`${head}… (${bytes} bytes)`),
    });
    stdout?.on('data', (chunk: Buffer) => messages.push(chunk)).on('end', () => messages.end());
    stderr?.on('data', (chunk: Buffer) => printed.push(chunk)).on('end', () => printed.end());
  }

  private receive(text: string): void {
    const message = messageIn(text);
    if (message === null) return this.printed.garbage(text);
    try {
      this.onmessage?.(message);
    } catch (error) {
      // Whoever throws here would take the worker with it.
      this.printed.garbage(`${String(error)}: ${text}`);
    }
  }

  /** The call that it answers is told, where the part that was read names it; otherwise nobody knows who still waits. */
  private receiveLong({ head, tail, bytes, sha256 }: LongLine): void {
    const id =
      /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)/.exec(head) ?? /"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail);
    const message = tooLarge(bytes, sha256, this.settings.answerBytes);
    if (id !== null) {
      this.onmessage?.({ jsonrpc: '2.0', id: Number(id[1]), error: { code: INTERNAL_ERROR, message } });
      return;
    }
    this.printed.garbage(message);
    void this.close();
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.onclose?.();
  }
}

export const TOO_LARGE = 'answered with more than it may';
export const tooLarge = (bytes: number, sha256: string, most: number): string =>
  `${TOO_LARGE}: ${bytes} bytes (sha256 ${sha256}), and answerBytes is ${most}`;

const messageIn = (text: string): JSONRPCMessage | null => {
  try {
    const parsed = JSONRPCMessageSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};

const exitOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

const closeStreams = ({ stdout, stderr }: ChildProcess): void => {
  stdout?.destroy();
  stderr?.destroy();
};

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Whether `done` came within so many ms. */
const within = async (ms: number, done: Promise<void>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};
