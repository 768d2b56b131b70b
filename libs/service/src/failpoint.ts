/** What happens to the own process at a failpoint. */
export type FailpointAction = 'kill' | 'stop' | 'exit';
export type Failpoint = { readonly name: string; readonly hit: number; readonly action: FailpointAction };

const FORM = /^([A-Za-z0-9_.-]+)(?::(\d+))?=(kill|stop|exit)$/;

/** Reads `name[:n]=kill|stop|exit`, several with commas between. Throws on anything else. */
export const parseFailpoints = (text: string): readonly Failpoint[] =>
  text.split(',').map((part) => {
    const [, name, hit, action] = FORM.exec(part.trim()) ?? [];
    if (name === undefined || action === undefined || hit === '0') {
      throw new Error(`HOLDFAST_FAILPOINT: expected name[:n]=kill|stop|exit with n from 1; got "${part}"`);
    }
    return { name, hit: Number(hit ?? 1), action: action as FailpointAction };
  });

/** Counts hits by name and acts at the n-th one, once. */
export const armFailpoints = (
  failpoints: readonly Failpoint[],
  act: (action: FailpointAction) => void,
): ((name: string) => void) => {
  const hits = new Map<string, number>();
  return (name) => {
    const count = (hits.get(name) ?? 0) + 1;
    hits.set(name, count);
    for (const failpoint of failpoints) {
      if (failpoint.name === name && failpoint.hit === count) act(failpoint.action);
    }
  };
};

const act = (action: FailpointAction): void => {
  if (action === 'exit') process.exit(1);
  // A signal to the own process is delivered before the call returns: nothing after this line runs.
  process.kill(process.pid, action === 'kill' ? 'SIGKILL' : 'SIGSTOP');
};

const configured = process.env['HOLDFAST_FAILPOINT'];

/**
 * A named place at which tests can end (`kill`, `exit`) or freeze (`stop`) this process:
 * `HOLDFAST_FAILPOINT=name[:n]=kill|stop|exit`, at the n-th time it is reached. Does nothing when that is not set.
 */
export const failpoint: (name: string) => void =
  configured === undefined || configured === '' ? () => undefined : armFailpoints(parseFailpoints(configured), act);
