import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  EFFECTS_ONCE,
  isClean,
  LedgerUnreadable,
  ledgerWitness,
  runChaos,
  scheduleRandom,
  scheduleSweeps,
  serviceKinds,
  toolsWitness,
  type ChaosPlan,
  type Report,
  type ServiceKind,
  type Witness,
} from '@holdfast/chaos';
import { replayPolicies } from '@holdfast/events';
import { createKafkaTopics } from '@holdfast/log';
import { InvalidTool, silentLogger, type ToolSet } from '@holdfast/sdk';
import { loadToolsAndFiles } from '@holdfast/tool-files';
import { chaosTable, CHAOS_WARNING, counterWords } from '../chaos-words.js';
import { reach, seedsOf } from '../cluster.js';
import { jsonOrFile } from '../input.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import { planIn, programSource } from '../source/source.js';
import type { Session } from '../session.js';

export type ChaosArguments = {
  readonly tools: readonly string[];
  readonly input?: string;
  readonly ledger?: string;
  readonly runs: number;
  readonly sweeps: number;
  readonly kills?: number;
  readonly within: number;
  readonly fleets: number;
  readonly seed?: number;
  readonly into?: string;
  readonly strict?: boolean;
  readonly report?: string;
  readonly yes?: boolean;
};

/** Kafka partitions of each queue of the tools. */
const PARTITIONS = 4;
/** Brokers may be on other machines, whose clocks are their own. */
const SKEW_MS = 1_000;
/** What is waited for at most before effects are counted, ms. */
const SETTLE_MS_MAX = 60_000;

export const chaos = async (session: Session, file: string, options: ChaosArguments): Promise<ExitCode> => {
  const { output } = session;
  const plan = planIn(await programSource(file, 'the plan'), 'the plan');
  const input = options.input === undefined ? {} : await jsonOrFile(options.input, 'the input');
  const tools = await toolsOf(options.tools);
  const brokers = seedsOf(session.brokers);
  if (options.yes !== true) throw new Problem(EXIT.usage, CHAOS_WARNING, 'Give --yes if this is your own cluster.');
  const programs = servicePrograms();
  await reach({ brokers, clientId: 'holdfast-chaos', logger: silentLogger });
  const namespace = options.into ?? `chaos-${randomBytes(4).toString('hex')}`;
  await mustBeUnused(brokers, namespace);
  const witness = await witnessOf(tools, options.ledger);

  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
  output.say(
    `Namespace ${namespace}; logs of the services in ${folder}\nEffects are counted through ${witness.describe}.`,
  );
  const report = await runChaos({
    ...chosen(options),
    brokers,
    folder,
    programs,
    tools: options.tools,
    queues: Object.fromEntries(tools.all.map(({ queue }) => [queue, PARTITIONS])),
    env: { HOLDFAST_SKEW_MS: String(SKEW_MS) },
    namespaceOf: (fleet) => (fleet === 1 ? namespace : `${namespace}-${fleet}`),
    workload: Array.from({ length: options.runs }, (_, index) => ({
      name: `run-${index + 1}`,
      plan,
      input: () => input,
    })),
    witness,
    settleMs: Math.min(SETTLE_MS_MAX, Math.max(0, ...tools.all.map(({ settleMs }) => settleMs))),
    say: (line) => output.say(line),
    signal: session.interrupted(),
  });
  return tell(session, report, { namespace, witness, file: options.report });
};

const chosen = ({ seed = Date.now() % 1_000_000, ...options }: ChaosArguments): Chosen => {
  const strikes = scheduleSweeps(options.sweeps, { seed });
  const { kills, strict, fleets, within } = options;
  const once = strict === true ? new Set(replayPolicies) : EFFECTS_ONCE.once;
  return {
    strikes: kills === undefined ? strikes : scheduleRandom(kills, { seed }),
    strictness: { ...EFFECTS_ONCE, once },
    fleets,
    msMax: within,
  };
};
type Chosen = Pick<ChaosPlan, 'strikes' | 'strictness' | 'fleets' | 'msMax'>;

const toolsOf = async (modules: readonly string[]): Promise<ToolSet> => {
  try {
    const { tools, close } = await loadToolsAndFiles(modules, { logger: silentLogger });
    // Only what they say of themselves is asked for here; the services call them.
    await close();
    return tools;
  } catch (error) {
    if (error instanceof InvalidTool) throw new Problem(EXIT.usage, error.message, 'Check --tools.');
    throw error;
  }
};

const servicePrograms = (): Readonly<Record<ServiceKind, string>> => {
  const found = serviceKinds.map((kind) => {
    const path = fileURLToPath(new URL(`../../../${kind}/dist/main.js`, import.meta.url));
    if (!existsSync(path))
      throw new Problem(EXIT.usage, `the ${kind} is not built: there is no ${path}`, 'npm run build');
    return [kind, path] as const;
  });
  return Object.fromEntries(found) as Record<ServiceKind, string>;
};

const mustBeUnused = async (brokers: readonly string[], namespace: string): Promise<void> => {
  const topics = createKafkaTopics({ brokers, clientId: 'holdfast-chaos', logger: silentLogger });
  const [used] = await topics.list(namespace);
  if (used === undefined) return;
  throw new Problem(
    EXIT.usage,
    `namespace ${namespace} is already used: there is a topic ${used}`,
    'Leave --into out.',
  );
};

const witnessOf = async (tools: ToolSet, ledger: string | undefined): Promise<Witness> => {
  if (ledger === undefined) return toolsWitness(tools);
  const witness = ledgerWitness(ledger);
  try {
    await witness.count([]);
  } catch (error) {
    if (error instanceof LedgerUnreadable) throw new Problem(EXIT.usage, error.message, 'Check --ledger.');
    throw error;
  }
  return witness;
};

type About = { readonly namespace: string; readonly witness: Witness; readonly file: string | undefined };

const tell = ({ output }: Session, report: Report, { namespace, witness, file }: About): ExitCode => {
  output.data({ kind: 'chaos', namespace, countedBy: witness.describe, ...report });
  output.say(chaosTable(report));
  output.say(counterWords(report));
  output.say(`Topics and groups begin with ${namespace}; nothing of them was removed.`);
  if (file !== undefined) {
    writeFileSync(file, `${JSON.stringify({ namespace, countedBy: witness.describe, ...report }, null, 2)}\n`);
    output.say(`The numbers: ${file}`);
  }
  return isClean(report) ? EXIT.ok : EXIT.notSucceeded;
};
