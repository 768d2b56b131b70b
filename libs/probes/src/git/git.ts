import { spawn } from 'node:child_process';

export type GitRun = { readonly code: number; readonly out: string; readonly err: string };

export type GitPlace = {
  /** The program; default `git`. */
  readonly program: string;
  /** The bare repository that is worked in. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** What git, ssh and TLS need of this process's surroundings. Everything else, secrets above all, is none of their business. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH|GIT_SSH_COMMAND|GIT_ASKPASS|SSH_ASKPASS|GIT_SSL_CAINFO|SSL_CERT_FILE|SSL_CERT_DIR|(https?|all|no)_proxy|(HTTPS?|ALL|NO)_PROXY|SystemRoot)$/;

/** Hooks, housekeeping and questions to people have no place in a call. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.ext.allow=never',
  'core.quotePath=false',
];

const OUTPUT_BYTES_MAX = 1024 * 1024;

/** Runs git once and answers how it ended; rejects where it could not be started, or the call was stopped. */
export const git = (place: GitPlace, args: readonly string[], input?: string | Uint8Array): Promise<GitRun> =>
  new Promise((resolve, reject) => {
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    const child = spawn(place.program, [...settings, ...args], { cwd: place.directory, env: environment(place.env) });
    const out = new Text();
    const err = new Text();
    const stop = (): void => {
      child.kill('SIGTERM');
      reject(Object.assign(new Error(`git ${args[0]} was stopped`), { code: 'aborted' }));
    };
    if (place.signal.aborted) stop();
    place.signal.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', (bytes: Buffer) => out.add(bytes));
    child.stderr.on('data', (bytes: Buffer) => err.add(bytes));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.once('error', (error) => {
      place.signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.once('close', (code) => {
      place.signal.removeEventListener('abort', stop);
      resolve({ code: code ?? -1, out: out.text(), err: err.text() });
    });
  });

const environment = (more: Readonly<Record<string, string>>): Record<string, string> => ({
  ...(Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name))) as Record<string, string>),
  ...more,
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
});

/** What a program says, up to a bound. */
class Text {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  add(chunk: Buffer): void {
    if (this.bytes < OUTPUT_BYTES_MAX) this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
