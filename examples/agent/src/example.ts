import { writeFileSync } from 'node:fs';
import type { HistoryRecord } from '@holdfast/events';
import pc from 'picocolors';
import { countRun, isRight, reportOf, type AgentReport, type Counted } from './counting.js';
import { Runs } from './one-run.js';
import type { AgentOptions } from './options.js';
import { tell } from './telling.js';
import type { World } from './world.js';

/** A call is over and nobody has heard of it: the moment at which the most is at stake. */
const AT = 'executor.call.after';
/** More steps than any run here has. */
const STEPS_MAX = 200;
/** In the middle of the four contracts: a finding has just been filed, and nobody has heard of it. */
const MIDDLE = 10;

/** Plays one run, or one for each step of it, and says what was counted. */
export const playExample = async (world: World, options: AgentOptions): Promise<AgentReport> => {
  const runs = new Runs(world, !options.ask);
  try {
    const counted = options.killAtEachStep ? await atEachStep(world, runs) : [await once(world, runs, options)];
    const report = reportOf(counted, world.models?.rejected().length ?? 0);
    if (options.report !== null) writeFileSync(options.report, `${JSON.stringify(report, null, 2)}\n`);
    return report;
  } finally {
    await runs.close();
  }
};

const once = async (world: World, runs: Runs, { kill, ask }: AgentOptions): Promise<Counted> => {
  const runId = `contracts-${Date.now()}`;
  if (ask) {
    console.log('When it asks for an approval, answer from another terminal:');
    console.log(`  export KAFKA_BROKERS=${world.brokers.join(',')} HOLDFAST_NAMESPACE=${world.namespace}`);
    console.log(`  npx holdfast questions ${runId}`);
    console.log(`  npx holdfast answer ${runId} --choice approve`);
  }
  if (kill) world.arming.arm({ point: AT, nth: MIDDLE, action: 'kill' });
  return counted(world, runs, { runId, see: show });
};

const show = (record: HistoryRecord): void => {
  const line = tell(record);
  if (line !== null) console.log(line);
};

/** One run for each step, in order, until a run has no such step any more. That one was killed nowhere. */
const atEachStep = async (world: World, runs: Runs): Promise<readonly Counted[]> => {
  const all: Counted[] = [];
  for (let nth = 1; nth <= STEPS_MAX; nth += 1) {
    world.arming.arm({ point: AT, nth, action: 'kill' });
    const run = await counted(world, runs, { runId: `killed-${nth}`, see: () => undefined });
    all.push(run);
    const where = run.killedAt === null ? 'not killed, as a control' : `killed at ${run.killedAt}`;
    console.log(`${isRight(run) ? pc.green('right') : pc.red('WRONG')} ${run.runId}: ${where}; ${run.filed} filed`);
    if (run.killedAt === null) return all;
  }
  return all;
};

type Play = { readonly runId: string; readonly see: (record: HistoryRecord) => void };

const counted = async (world: World, runs: Runs, { runId, see }: Play): Promise<Counted> => {
  const finished = await runs.play(runId, see);
  const wasKilled = world.arming.withdraw() !== null;
  world.arming.disarm();
  return countRun(finished, world.register.filed(), world.models?.ledger() ?? [], wasKilled);
};
