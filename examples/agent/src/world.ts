import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Arming, Member, serviceEnv, serviceKinds, type ServiceKind } from '@holdfast/chaos';
import { openKafka, repositoryRoot, serviceProgram, stateDir } from '@holdfast/dev';
import { startModelServer, type ModelServer } from '@holdfast/model-server';
import { script } from './model-script.js';
import type { AgentOptions } from './options.js';
import { startRegister, type Register } from './register.js';

/** Everything that runs while the example runs. */
export type World = {
  readonly brokers: readonly string[];
  readonly namespace: string;
  /** For logs, the tool file and what is armed. */
  readonly folder: string;
  readonly documents: string;
  readonly register: Register;
  /** Null where a real endpoint is asked. */
  readonly models: ModelServer | null;
  readonly arming: Arming;
  close(): Promise<void>;
};

const example = join(repositoryRoot, 'examples', 'agent');
const LANES = 4;
const STOP_MS = 6_000;
const OPENAI = 'https://api.openai.com/v1';
/** The scripted model needs no key; what the tool file names must be there all the same. */
const SCRIPTED_KEY = 'scripted';

/** Starts Kafka unless there is one, the register, the model, and one of each service. */
export const startWorld = async (options: AgentOptions): Promise<World> => {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (let last = closing.pop(); last !== undefined; last = closing.pop()) {
      await last().catch((error: Error) => console.error(`While stopping: ${error.message}`));
    }
  };
  try {
    return { ...(await start(options, closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const start = async (options: AgentOptions, closing: (() => Promise<unknown>)[]): Promise<Omit<World, 'close'>> => {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
  const folder = join(stateDir, 'agent', stamp);
  mkdirSync(folder, { recursive: true });
  const kafka = await openKafka();
  closing.push(() => kafka.stop());
  const register = await startRegister();
  closing.push(() => register.close());
  const key = process.env['OPENAI_API_KEY'];
  const models = key === undefined ? await startModelServer({ script }) : null;
  if (models !== null) closing.push(() => models.close());
  const documents = options.documents ?? join(example, 'documents');
  const modelUrl = models === null ? (process.env['OPENAI_BASE_URL'] ?? OPENAI) : `${models.url}/v1`;
  const tools = writeTools(folder, { options, documents, modelUrl, register, isReal: models === null });
  const namespace = `agent-${Date.now()}`;
  const arming = new Arming(join(folder, 'armed'));
  const members = serviceKinds.map((kind) =>
    memberOf(kind, { folder, brokers: kafka.brokers, namespace, tools, armed: arming.file, key: key ?? SCRIPTED_KEY }),
  );
  closing.push(() => Promise.all(members.map((member) => member.stop(STOP_MS))));
  const [first, ...others] = members;
  // One makes the topics; several at once would only wait for each other.
  await first?.start();
  await Promise.all(others.map((member) => member.start()));
  return { brokers: kafka.brokers, namespace, folder, documents, register, models, arming };
};

type Place = {
  readonly folder: string;
  readonly brokers: readonly string[];
  readonly namespace: string;
  readonly tools: string;
  readonly armed: string;
  readonly key: string;
};

const memberOf = (kind: ServiceKind, { folder, brokers, namespace, tools, armed, key }: Place): Member =>
  new Member({
    name: kind,
    main: serviceProgram(kind),
    env: {
      ...serviceEnv({ kind, name: kind, brokers, namespace, lanes: LANES, queues: { default: 4 }, tools: [tools] }),
      HOLDFAST_FAILPOINT_FILE: armed,
      OPENAI_API_KEY: key,
    },
    logFile: join(folder, `${kind}.log`),
  });

type Filling = {
  readonly options: AgentOptions;
  readonly documents: string;
  readonly modelUrl: string;
  readonly register: Register;
  readonly isReal: boolean;
};

/** The tool file of the example with the addresses of this time. */
const writeTools = (folder: string, { options, documents, modelUrl, register, isReal }: Filling): string => {
  const values: Readonly<Record<string, string>> = {
    'model-url': modelUrl,
    model: isReal ? options.model : 'scripted',
    'files-server': createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
    documents,
    'register-url': register.url,
    'register-host': new URL(register.url).host,
  };
  const text = readFileSync(join(example, 'tools.yaml'), 'utf8').replaceAll(
    /@([a-z-]+)@/g,
    (whole, name: string) => values[name] ?? whole,
  );
  const file = join(folder, 'tools.yaml');
  writeFileSync(file, text);
  return file;
};
