import { createServer, connect, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Begun, Fault } from './probe-world.js';

export type CuttingProxyOptions = {
  readonly port: number;
  readonly host?: string;
  /** Whether these bytes of a client, the end of what it has sent so far, make the effect. */
  readonly effect: (bytes: Buffer) => boolean;
};

/** A way between a tool and its counterpart over TCP, that breaks where a test wants it. */
export type CuttingProxy = {
  readonly port: number;
  /** From now on, until `end`. */
  fault(fault: Fault): Promise<Begun>;
  close(): Promise<void>;
};

/** How much of what was sent before is looked at together with what comes: no longer word makes an effect. */
const TAIL_BYTES = 256;

export const cuttingProxy = async (options: CuttingProxyOptions): Promise<CuttingProxy> => {
  const way = new Way(options);
  await way.listen(0);
  return { port: way.port, fault: (fault) => way.begin(fault), close: () => way.close() };
};

class Way {
  port = 0;
  private server: Server | null = null;
  private fault: Fault | null = null;
  private readonly sockets = new Set<Socket>();
  private held: (() => Promise<void>)[] = [];
  private reached: () => void = () => undefined;

  constructor(private readonly options: CuttingProxyOptions) {}

  async listen(port: number): Promise<void> {
    const server = createServer((client) => this.accept(client));
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
  }

  async begin(fault: Fault): Promise<Begun> {
    const reached = new Promise<void>((resolve) => (this.reached = resolve));
    this.fault = fault;
    if (fault === 'away') await this.close();
    // A connection that is kept open would not meet the fault.
    if (fault === 'garbled') this.destroyAll();
    return { reached, end: () => this.end() };
  }

  private async end(): Promise<void> {
    const was = this.fault;
    this.fault = null;
    if (was === 'away') await this.listen(this.port);
    await Promise.all(this.held.splice(0).map((release) => release()));
  }

  async close(): Promise<void> {
    const server = this.server;
    this.destroyAll();
    if (server === null) return;
    this.server = null;
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  private destroyAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(client: Socket): void {
    this.keep(client);
    if (this.fault === 'garbled') return void client.end('\u0000}{ this is not what you know\r\n\r\n');
    const { port, host = '127.0.0.1' } = this.options;
    new Passage(client, this.keep(connect({ port, host })), this.rules()).open();
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }

  private rules(): PassageRules {
    return {
      effect: this.options.effect,
      fault: () => this.fault,
      reached: () => this.reached(),
      hold: (release) => void this.held.push(release),
    };
  }
}

type PassageRules = {
  readonly effect: (bytes: Buffer) => boolean;
  readonly fault: () => Fault | null;
  readonly reached: () => void;
  readonly hold: (release: () => Promise<void>) => void;
};

/** One connection of a client, and the one to the counterpart that belongs to it. */
class Passage {
  private tail = Buffer.alloc(0);
  private answerIsLost = false;
  private waiting: Buffer[] | null = null;
  private clientIsGone = false;

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly rules: PassageRules,
  ) {}

  open(): void {
    this.client.on('data', (bytes) => this.fromClient(bytes));
    this.server.on('data', (bytes) => this.fromServer(bytes));
    this.client.once('close', () => this.clientClosed());
    this.server.once('close', () => this.client.destroy());
  }

  private fromClient(bytes: Buffer): void {
    if (this.waiting !== null) return void this.waiting.push(bytes);
    const seen = Buffer.concat([this.tail, bytes]);
    this.tail = seen.subarray(-TAIL_BYTES);
    const fault = this.rules.fault();
    if (fault === null || !this.rules.effect(seen)) return void this.server.write(bytes);
    this.tail = Buffer.alloc(0);
    this.rules.reached();
    if (fault === 'cut-before') return this.cut();
    if (fault === 'held') return this.hold(bytes);
    this.answerIsLost = fault === 'cut-after';
    this.server.write(bytes);
  }

  private fromServer(bytes: Buffer): void {
    if (this.answerIsLost) this.cut();
    else this.client.write(bytes);
  }

  private hold(bytes: Buffer): void {
    this.waiting = [bytes];
    this.rules.hold(() => {
      for (const kept of this.waiting ?? []) this.server.write(kept);
      this.waiting = null;
      if (this.clientIsGone) this.server.end();
      return answeredOrClosed(this.server);
    });
  }

  private clientClosed(): void {
    this.clientIsGone = true;
    // What was sent has left the client: it arrives, whether the client lives or not.
    if (this.waiting === null) this.server.end();
  }

  private cut(): void {
    this.client.destroy();
    this.server.destroy();
  }
}

const answeredOrClosed = (socket: Socket): Promise<void> =>
  socket.closed
    ? Promise.resolve()
    : new Promise((resolve) => {
        socket.once('data', () => resolve());
        socket.once('close', () => resolve());
      });
