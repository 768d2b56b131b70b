import { connect } from 'node:net';

const metadataRequest = 3;
const version = 1;

/**
 * How many brokers the one at this port knows to be alive, itself included; 0 while it does not answer.
 *
 * One Metadata request, spelled by hand: a client would hide refusals behind retries, and at start they are the rule.
 */
export const brokersAlive = (port: number, waitMs = 1_000): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = Buffer.alloc(0);
    const done = (count: number) => {
      socket.destroy();
      resolve(count);
    };
    socket.setTimeout(waitMs, () => done(0));
    socket.on('error', () => done(0));
    socket.on('close', () => done(0));
    socket.on('connect', () => socket.write(request()));
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length >= 12 && answer.length >= 4 + answer.readInt32BE(0)) done(answer.readInt32BE(8));
    });
  });

/** Length, api key, version, correlation id, no client id, and the empty list of topics. */
const request = (): Buffer => {
  const bytes = Buffer.alloc(18);
  bytes.writeInt32BE(14, 0);
  bytes.writeInt16BE(metadataRequest, 4);
  bytes.writeInt16BE(version, 6);
  bytes.writeInt32BE(1, 8);
  bytes.writeInt16BE(-1, 12);
  bytes.writeInt32BE(0, 14);
  return bytes;
};
