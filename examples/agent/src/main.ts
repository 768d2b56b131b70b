import { isRight } from './counting.js';
import { playExample } from './example.js';
import { parseOptions } from './options.js';
import { startWorld } from './world.js';

const EXIT = { right: 0, wrong: 1, failed: 2, interrupted: 130 } as const;
/** Everything must be gone 10 s after the end, whatever hangs; children end with this process. */
const STOP_MS_MAX = 9_000;

const options = parseOptions(process.argv.slice(2));
const starting = startWorld(options);
const interrupted = new Promise<'interrupted'>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('interrupted'));
});

const play = async (): Promise<number> => {
  const world = await starting;
  const model = world.models === null ? `the model ${options.model}` : 'a scripted model, offline';
  console.log(`An agent reviews the contracts in ${world.documents} with ${model}. Logs: ${world.folder}`);
  const report = await playExample(world, options);
  const { kills, duplicates, lost, modelCallsRepeated, modelCallsInFlight, runs } = report;
  console.log(
    `${runs.length} runs, ${kills} kills: ${duplicates} findings filed twice, ${lost} lost, ${modelCallsRepeated} answers of ` +
      `the model paid twice beside ${modelCallsInFlight} that were on their way.`,
  );
  return runs.every(isRight) && report.rejected === 0 ? EXIT.right : EXIT.wrong;
};

const end = async (code: number): Promise<never> => {
  setTimeout(() => process.exit(code), STOP_MS_MAX).unref();
  await starting.then((world) => world.close()).catch(() => undefined);
  process.exit(code);
};

try {
  const outcome = await Promise.race([play(), interrupted]);
  await end(outcome === 'interrupted' ? EXIT.interrupted : outcome);
} catch (error) {
  console.error((error as Error).message);
  await end(EXIT.failed);
}
