import { readFileSync, renameSync, statSync } from 'node:fs';
import { FAILPOINTS, GATEWAY_FAILPOINTS, type FailpointName, type GatewayFailpointName } from './failpoints.js';

export {
  failpointNames,
  FAILPOINTS,
  GATEWAY_FAILPOINTS,
  type FailpointName,
  type FailpointProcess,
  type GatewayFailpointName,
} from './failpoints.js';

/** What happens to the own process at a failpoint. */
export type FailpointAction = 'kill' | 'stop' | 'exit';
type AnyName = FailpointName | GatewayFailpointName;
export type Failpoint = { readonly name: AnyName; readonly hit: number; readonly action: FailpointAction };

const FORM = /^([A-Za-z0-9_.-]+)(?::(\d+))?=(kill|stop|exit)$/;

/** Reads `name[:n]=kill|stop|exit`, several with commas between. Throws on anything else. */
export const parseFailpoints = (text: string): readonly Failpoint[] =>
  text.split(',').map((part) => {
    const [, name, hit, action] = FORM.exec(part.trim()) ?? [];
    if (name === undefined || action === undefined || hit === '0') {
      throw new Error(`HOLDFAST_FAILPOINT: expected name[:n]=kill|stop|exit with n from 1; got "${part}"`);
    }
    if (!isKnown(name)) throw new Error(`HOLDFAST_FAILPOINT: there is no failpoint "${name}"`);
    return { name, hit: Number(hit ?? 1), action: action as FailpointAction };
  });

const isKnown = (name: string): name is AnyName =>
  Object.hasOwn(FAILPOINTS, name) || Object.hasOwn(GATEWAY_FAILPOINTS, name);

type Act = (action: FailpointAction) => void;
type Reach = (name: AnyName) => void;

/** Counts hits by name and acts at the n-th one, once. */
export const armFailpoints = (failpoints: readonly Failpoint[], act: Act): Reach => {
  const hits = new Map<string, number>();
  return (name) => {
    const count = (hits.get(name) ?? 0) + 1;
    hits.set(name, count);
    for (const failpoint of failpoints) {
      if (failpoint.name === name && failpoint.hit === count) act(failpoint.action);
    }
  };
};

/**
 * Looks for a file with failpoints at each call, so that a running process can be armed. Whoever comes to one first
 * takes the file away, renamed to `<file>.<pid>.<pid of the parent>`, and acts: of several processes that share the file
 * only one does.
 */
export const armByFile = (file: string, act: Act): Reach => {
  let known = '';
  let reach = nowhere;
  return (name) => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return;
    const version = `${found.ino}/${found.mtimeMs}`;
    if (version !== known) {
      const text = unlessGone(() => readFileSync(file, 'utf8'));
      if (text === null) return;
      known = version;
      reach = armFailpoints(parseFailpoints(text), (action) => {
        if (unlessGone(() => renameSync(file, `${file}.${process.pid}.${process.ppid}`)) !== null) act(action);
      });
    }
    reach(name);
  };
};

const nowhere: Reach = () => undefined;

/** Null where another process was quicker to take the file. */
const unlessGone = <T>(use: () => T): T | null => {
  try {
    return use();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

const act = (action: FailpointAction): void => {
  if (action === 'exit') process.exit(1);
  // A signal to the own process is delivered before the call returns: nothing after this line runs.
  process.kill(process.pid, action === 'kill' ? 'SIGKILL' : 'SIGSTOP');
};

const configured = ({ HOLDFAST_FAILPOINT: text, HOLDFAST_FAILPOINT_FILE: file }: NodeJS.ProcessEnv): Reach => {
  if (text !== undefined && text !== '') return armFailpoints(parseFailpoints(text), act);
  return file === undefined || file === '' ? nowhere : armByFile(file, act);
};

/**
 * A named place at which tests can end (`kill`, `exit`) or freeze (`stop`) this process:
 * `HOLDFAST_FAILPOINT=name[:n]=kill|stop|exit`, at the n-th time it is reached, or the same in a file that is named by
 * `HOLDFAST_FAILPOINT_FILE` and may appear at any time. Does nothing when neither is set.
 */
export const failpoint: Reach = configured(process.env);
