import { runCli } from './cli.js';
import { connectWith } from './cluster.js';

const interrupted = (): AbortSignal => {
  const controller = new AbortController();
  // The first Ctrl-C ends the watch in order, the second one ends the process.
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
};
// A reader that has seen enough (head, less) closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCli(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  env: process.env,
  connect: connectWith(process.env),
  interrupted,
});
