import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const firstPort = 15_000;
const handedOut = new Set<number>();

/**
 * A port on 127.0.0.1 that nobody uses now, below the range from which outgoing connections take theirs.
 *
 * A port out of that range may be taken by any client before the service binds it; and while a service is down, a
 * client that keeps trying to connect can connect to itself and so keep the port for good.
 */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(firstPort, firstOutgoingPort());
    if (!handedOut.has(port) && (await canBind(port))) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error('No free port found on 127.0.0.1 after 200 tries. Stop services that are no longer needed.');
};

const firstOutgoingPort = (): number => {
  try {
    const low = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
    return low > firstPort + 1_000 ? low : 32_768;
  } catch {
    return 32_768; // not Linux
  }
};

/** Whether nobody listens on this port of 127.0.0.1. */
export const canBind = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
