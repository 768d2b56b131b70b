import { spawnService, type Service } from '@holdfast/dev';

export type Started = { readonly service: Service; readonly httpPort: number };

const READY_MS = 60_000;

/** Starts a built program; resolves when it says that it is ready. */
export const startProgram = async (
  name: string,
  main: string,
  args: readonly string[],
  { env, folder }: { readonly env: Readonly<Record<string, string>>; readonly folder: string },
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
    await Promise.race([service.exited, new Promise((resolve) => setTimeout(resolve, READY_MS).unref())]);
    throw new Error(`${name} did not become ready; its log is ${logFile}`);
  };
  return { service, httpPort: await Promise.race([ready, failed()]) };
};

const readyPort = (line: string): number | null => {
  if (!line.startsWith('{') || !line.includes('"ready"')) return null;
  const said = JSON.parse(line) as { msg?: unknown; httpPort?: unknown };
  return said.msg === 'ready' ? Number(said.httpPort) : null;
};
