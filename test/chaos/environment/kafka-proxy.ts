import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A request on its way to the broker. `topic` is told of appends alone. */
export type BrokerRequest = { readonly isAppend: boolean; readonly clientId: string; readonly topic: string | null };

/**
 * What becomes of a request and its answer: `pass` · `lose` the answer, the connection stays open · `cut` the connection
 * instead of the answer · `tear-answer`, `tear-request` cut it in the middle of one · `late`: the request reaches the broker
 * only after the client has given it up.
 */
export type Fate = 'pass' | 'lose' | 'cut' | 'tear-answer' | 'tear-request' | 'late';

const APPEND_API = 0;
/** Longer than any client waits for the answer to an append. */
const LATE_MS = 4_000;
const DRAIN_MS = 5_000;

/** Stands between a broker and all its clients; the broker must advertise `port`. Reads requests and answers one by one. */
export class KafkaProxy {
  /** What is to become of a request; asked once for each. */
  fateOf: (request: BrokerRequest) => Fate = () => 'pass';
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly brokerPort: number,
  ) {
    server.on('connection', (client) => void this.serve(client));
  }

  static async open(brokerPort: number): Promise<KafkaProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return new KafkaProxy(server, brokerPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async serve(client: Socket): Promise<void> {
    const broker = connect(this.brokerPort, '127.0.0.1');
    this.keep(client);
    this.keep(broker);
    const link = new Link(client, broker);
    broker.on('close', () => client.destroy());
    await Promise.all([link.requests((request) => this.fateOf(request)), link.answers()]);
    client.destroy();
    broker.destroy();
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** One connection of a client and the one to the broker that belongs to it. */
class Link {
  private readonly fates = new Map<number, Fate>();
  private drained: () => void = () => undefined;

  constructor(
    private readonly client: Socket,
    private readonly broker: Socket,
  ) {}

  /** Resolves when the client is gone and all that it has asked was answered, or nobody will. */
  async requests(fateOf: (request: BrokerRequest) => Fate): Promise<void> {
    for await (const frame of frames(this.client)) {
      const { correlationId, ...request } = parse(frame);
      const fate = fateOf(request);
      this.fates.set(correlationId, fate);
      if (fate === 'late') await pause(LATE_MS);
      if (fate === 'tear-request') {
        this.broker.write(frame.subarray(0, frame.length / 2), () => this.broker.destroy());
        return;
      }
      this.broker.write(frame);
    }
    if (this.fates.size > 0) {
      await Promise.race([
        new Promise<void>((resolve) => (this.drained = resolve)),
        pause(DRAIN_MS, undefined, { ref: false }),
      ]);
    }
    this.broker.destroy();
  }

  async answers(): Promise<void> {
    for await (const frame of frames(this.broker)) {
      const correlationId = frame.readInt32BE(4);
      const fate = this.fates.get(correlationId) ?? 'pass';
      this.fates.delete(correlationId);
      if (fate === 'cut') this.client.destroy();
      else if (fate === 'tear-answer') {
        this.client.write(frame.subarray(0, frame.length / 2), () => this.client.destroy());
      } else if (fate === 'pass' && !this.client.destroyed) this.client.write(frame);
      if (this.fates.size === 0) this.drained();
    }
    this.drained();
  }
}

/** Each message with its length of four bytes; ends with the connection, however that ends. */
async function* frames(socket: Socket): AsyncGenerator<Buffer> {
  let waiting = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      waiting = Buffer.concat([waiting, chunk as Buffer]);
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE(0)) {
        const end = 4 + waiting.readInt32BE(0);
        yield waiting.subarray(0, end);
        waiting = waiting.subarray(end);
      }
    }
  } catch (error) {
    // A connection that breaks has ended.
    if (!socket.destroyed) throw error;
  }
}

/** Length, api key, version, correlation id and client id; of an append also the transaction id, acks, time-out and the first topic. */
const parse = (frame: Buffer): BrokerRequest & { readonly correlationId: number } => {
  const isAppend = frame.readInt16BE(4) === APPEND_API;
  const [clientId, afterClient] = textAt(frame, 12);
  const correlationId = frame.readInt32BE(8);
  if (!isAppend) return { isAppend, clientId, correlationId, topic: null };
  const [, afterTransaction] = textAt(frame, afterClient);
  const [topic] = textAt(frame, afterTransaction + 10);
  return { isAppend, clientId, correlationId, topic };
};

const textAt = (frame: Buffer, at: number): readonly [text: string, end: number] => {
  const length = Math.max(0, frame.readInt16BE(at));
  return [frame.toString('utf8', at + 2, at + 2 + length), at + 2 + length];
};
