import { boundText, knownSecrets, type Logger } from '@holdfast/sdk';
import type { Printed } from '../wire/stdio.js';

const LINES_MAX = 50;
const WINDOW_MS = 10_000;
const KEPT_MAX = 8;
const KEPT_BYTES = 200;
/** A place in a stack says less than the line above it. */
const FRAME = /^\s*(?:at\s|$)/;
const LINE_BYTES = 1_000;

/**
 * What a server prints beside its messages goes into the log: so many lines in ten seconds, each bounded, then only their
 * number. The last lines are kept for whoever has to explain how it ended.
 */
export class PrintedLines implements Printed {
  private windowFrom = -Infinity;
  private inWindow = 0;
  private dropped = 0;
  private readonly last: string[] = [];

  constructor(
    private readonly server: string,
    private readonly logger: Logger,
    private readonly monotonic: () => number,
  ) {}

  stderr(line: string): void {
    const text = boundText(line, LINE_BYTES);
    if (!FRAME.test(text)) this.last.push(boundText(text, KEPT_BYTES));
    if (this.last.length > KEPT_MAX) this.last.shift();
    this.log('an MCP server says', { line: text });
  }

  garbage(line: string): void {
    const text = boundText(line, LINE_BYTES);
    this.log('an MCP server printed what is no message', { line: text });
  }

  /** It asked for something that only a whole client has: sampling, elicitation, roots. */
  refused(method: string): void {
    this.log('an MCP server asked for what is not offered', { method: boundText(method, LINE_BYTES) });
  }

  /** The last lines of its standard error, for a message; empty where there were none. */
  tail(): string {
    return this.last.length === 0 ? '' : `; it last said: ${knownSecrets.mask(this.last.join(' | '))}`;
  }

  private log(message: string, fields: object): void {
    const now = this.monotonic();
    if (now - this.windowFrom >= WINDOW_MS) {
      const { server, dropped } = this;
      if (dropped > 0) this.logger.warn({ server, lines: dropped }, 'an MCP server printed more than is logged');
      this.windowFrom = now;
      this.inWindow = 0;
      this.dropped = 0;
    }
    this.inWindow += 1;
    if (this.inWindow <= LINES_MAX) this.logger.info({ server: this.server, ...fields }, message);
    else this.dropped += 1;
  }
}
