import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, type Service } from '@holdfast/dev';

export type Started = { readonly service: Service; readonly httpPort: number };

type Surroundings = {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Asked over HTTP until it answers with 200; null where the program's word that it listens is enough. */
  readonly readyPath: string | null;
};

const ASK_AGAIN_MS = 20;
const READY_MS = 60_000;

/** Starts a built program; resolves when it says that it is ready. */
export const startProgram = async (
  name: string,
  main: string,
  args: readonly string[],
  { env, folder, readyPath }: Surroundings,
): Promise<Started> => {
  let heard!: (httpPort: number) => void;
  const ready = new Promise<number>((resolve) => (heard = resolve));
  const logFile = `${folder}/${name}.log`;
  const service = await spawnService({
    name,
    command: process.execPath,
    args: [main, ...args],
    env,
    logFile,
    onLine: (line) => {
      const httpPort = readyPort(line);
      if (httpPort !== null) heard(httpPort);
    },
  });
  const failed = async (): Promise<never> => {
    await Promise.race([service.exited, sleep(READY_MS, undefined, { ref: false })]);
    throw new Error(`${name} did not become ready; its log is ${logFile}`);
  };
  const answering = async (): Promise<number> => {
    const httpPort = await ready;
    if (readyPath === null) return httpPort;
    while (!(await isOk(`http://127.0.0.1:${httpPort}${readyPath}`))) await sleep(ASK_AGAIN_MS);
    return httpPort;
  };
  return { service, httpPort: await Promise.race([answering(), failed()]) };
};

const isOk = async (url: string): Promise<boolean> => {
  const response = await fetch(url).catch(() => null);
  return response?.ok === true;
};

const readyPort = (line: string): number | null => {
  if (!line.startsWith('{') || !line.includes('"ready"')) return null;
  const said = JSON.parse(line) as { msg?: unknown; httpPort?: unknown; port?: unknown };
  return said.msg === 'ready' ? Number(said.httpPort ?? said.port) : null;
};
