import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

/**
 * Loaded into a service before all else (`--import`): what a test writes into the file `WEATHER_FILE` befalls its
 * processes. `clockOffMs` sets their wall clock apart; while `brokerGone` no connection to Kafka stands or is made.
 */
type Weather = { readonly clockOffMs: number; readonly brokerGone: boolean };

let weather: Weather = { clockOffMs: 0, brokerGone: false };

const look = (): void => {
  try {
    weather = JSON.parse(readFileSync(process.env['WEATHER_FILE'] ?? '', 'utf8')) as Weather;
  } catch {
    // Not written yet, or half: the last that was known holds.
  }
  if (weather.brokerGone) for (const socket of toBroker) socket.destroy();
};

const ports = new Set(
  (process.env['KAFKA_BROKERS'] ?? '').split(',').map((broker) => Number(broker.split(':').at(-1))),
);
const toBroker = new Set<Socket>();
const realNow = Date.now;
Date.now = () => realNow() + weather.clockOffMs;

type Connect = (this: Socket, ...args: unknown[]) => Socket;
const realConnect = Reflect.get(Socket.prototype, 'connect') as Connect;
const connect: Connect = function (...args) {
  const [first] = args;
  const options = (Array.isArray(first) ? first[0] : first) as { readonly port?: unknown } | null;
  if (!ports.has(Number(options?.port))) return realConnect.apply(this, args);
  toBroker.add(this);
  this.once('close', () => toBroker.delete(this));
  if (!weather.brokerGone) return realConnect.apply(this, args);
  setImmediate(() => this.destroy(Object.assign(new Error('the network is gone'), { code: 'ENETUNREACH' })));
  return this;
};
Reflect.set(Socket.prototype, 'connect', connect);

look();
setInterval(look, 10).unref();
