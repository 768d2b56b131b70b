import { connect, createServer, Socket } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import type { KafkaOptions } from '@holdfast/log';

type Link = { readonly client: Socket; readonly broker: Socket; mode: 'through' | 'swallow' | 'cut' };
type SocketFactory = NonNullable<KafkaOptions['socketFactory']>;

/**
 * Stands between a client and its brokers and keeps answers away: the requests still arrive. One local port for each
 * broker port; the client is led there by `socketFactory`, the brokers know nothing of it.
 */
export class ReplyProxy {
  private readonly doors = new Map<number, { server: Server; port: Promise<number> }>();
  private readonly links = new Set<Link>();

  /** Connections that are open now lose all further answers, and stay open; new ones are not touched. */
  swallowReplies(): void {
    for (const link of this.links) link.mode = 'swallow';
  }

  /** Connections that are open now are cut when their next answer comes; new ones are not touched. */
  cutAtReply(): void {
    for (const link of this.links) link.mode = 'cut';
  }

  readonly socketFactory: SocketFactory = ({ port, onConnect }) => {
    const socket = new Socket();
    void this.door(port).then((local) => socket.connect(local, '127.0.0.1'));
    socket.on('connect', onConnect);
    return socket;
  };

  async close(): Promise<void> {
    for (const { client, broker } of this.links) {
      client.destroy();
      broker.destroy();
    }
    const closing = [...this.doors.values()].map(
      ({ server }) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    await Promise.all(closing);
  }

  private door(brokerPort: number): Promise<number> {
    const known = this.doors.get(brokerPort);
    if (known !== undefined) return known.port;
    const server = createServer((client) => this.link(client, brokerPort));
    const port = new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
    this.doors.set(brokerPort, { server, port });
    return port;
  }

  private link(client: Socket, brokerPort: number): void {
    const broker = connect(brokerPort, '127.0.0.1');
    const link: Link = { client, broker, mode: 'through' };
    this.links.add(link);
    const end = (): void => {
      this.links.delete(link);
      client.destroy();
      broker.destroy();
    };
    client.on('data', (data) => broker.write(data));
    broker.on('data', (data) => {
      if (link.mode === 'through') client.write(data);
      else if (link.mode === 'cut') end();
    });
    for (const socket of [client, broker]) socket.on('close', end).on('error', end);
  }
}
