import { Mission, type Finished } from './mission/mission.js';
import { isKept, resultLines } from './mission/result.js';
import { Stalled } from './mission/stall.js';
import { parseOptions } from './options.js';

const EXIT = { kept: 0, broken: 1, failed: 2, stalled: 3, interrupted: 130 } as const;
/** Everything must be gone 10 s after the end, whatever hangs; children end with this process. */
const STOP_MS_MAX = 9_000;

const options = parseOptions(process.argv.slice(2));
const mission = new Mission(options);

const interrupted = new Promise<'interrupted'>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('interrupted'));
});

const end = async (code: number): Promise<never> => {
  setTimeout(() => process.exit(code), STOP_MS_MAX).unref();
  await mission.stop();
  process.exit(code);
};

/** Somebody sits at the terminal, or has said that they will come. */
const stays = options.keep || (process.stdin.isTTY && process.stdout.isTTY);

const show = async (finished: Finished): Promise<void> => {
  const { report, brokers, namespace } = finished;
  for (const line of resultLines(report)) console.log(line);
  if (options.office !== null) return;
  if (!stays) {
    console.log('To explore it in a browser, stay up at the end: npm start -- --keep');
    return;
  }
  const page = await Promise.race([mission.explore(finished), interrupted]);
  if (page === 'interrupted') return;
  console.log('Everything stays up until Ctrl-C. To look at the run from another terminal:');
  console.log(`  export KAFKA_BROKERS=${brokers.join(',')} HOLDFAST_NAMESPACE=${namespace}`);
  console.log(`  npx holdfast explain ${report.runId}`);
  console.log(`To explore it in the console: ${page}`);
  await interrupted;
};

try {
  const outcome = await Promise.race([mission.run(), interrupted]);
  if (outcome === 'interrupted') {
    console.log('Interrupted: stopping everything.');
    await end(EXIT.interrupted);
  } else {
    await show(outcome);
    await end(isKept(outcome.report) ? EXIT.kept : EXIT.broken);
  }
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  console.error(`Logs of all services: ${mission.folder}`);
  await end(error instanceof Stalled ? EXIT.stalled : EXIT.failed);
}
