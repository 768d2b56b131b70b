import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { openLedger } from './ledger.js';
import { createOffice } from './office.js';

const options = new Command('records-office')
  .description('Files documents. No transactions, no idempotency keys, bad manners.')
  .requiredOption('--ledger <file>', 'JSON lines, one per filing')
  .option('--seed <number>', 'decides which calls go wrong, and how', Number, 1)
  .option('--late-ms <ms>', 'how late a late answer is', Number, 5_500)
  .option('--port <number>', '0 picks a free one', Number, 0)
  .option('--host <address>', 'where to listen', '127.0.0.1')
  .parse()
  .opts<{ ledger: string; seed: number; lateMs: number; port: number; host: string }>();

const ledger = openLedger(options.ledger);
const server = createOffice(ledger, { seed: options.seed, lateMs: options.lateMs });
server.keepAliveTimeout = 60_000;
server.listen(options.port, options.host, () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ time: Date.now(), msg: 'ready', httpPort: port, ledger: options.ledger }));
});

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  ledger.close();
});
