import type { AddressInfo } from 'node:net';
import { createEffectServer } from './effect-server.js';

const ledger = process.argv[2];
if (ledger === undefined) throw new Error('usage: main.js LEDGER');

const server = createEffectServer(ledger);
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', httpPort: (server.address() as AddressInfo).port }));
});
