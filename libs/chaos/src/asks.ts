import { setTimeout as pause } from 'node:timers/promises';
import { RequestRefused } from '@holdfast/sdk';

const AGAIN_MS = 200;

/** Ends early where nobody waits any more. */
type Pause = (signal: AbortSignal) => Promise<unknown>;
const short: Pause = (signal) => pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);

export type Ask = {
  /** Has `ended` once nothing need be asked about it any more. */
  readonly run: { readonly ended: unknown };
  readonly request: () => Promise<unknown>;
  /** Told of a refusal; answers whether it is the last word. */
  readonly refused: (refusal: RequestRefused) => boolean;
};

/** Requests about runs while services are struck, and whatever else is done beside. */
export class Asks {
  private readonly open = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly failures: unknown[] = [];

  constructor(private readonly rest: Pause = short) {}

  /** The same again until somebody has answered, the run has ended or nobody waits any more. */
  begin(ask: Ask): void {
    this.beside(this.untilTaken(ask));
  }

  /** Work that nobody waits for now: `settled` does. */
  beside(work: Promise<unknown>): void {
    const done = work
      .then(
        () => undefined,
        (error: unknown) => void this.failures.push(error),
      )
      .finally(() => this.open.delete(done));
    this.open.add(done);
  }

  /** Nothing is asked again. What waits for an answer goes on until its client is closed. */
  stop(): void {
    this.stopping.abort();
  }

  /** Resolves when nothing is under way; rejects with what went wrong before it was stopped. */
  async settled(): Promise<void> {
    await Promise.all(this.open);
    if (this.failures.length > 0) throw this.failures[0];
  }

  private async untilTaken({ run, request, refused }: Ask): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted && run.ended === null) {
      try {
        return void (await request());
      } catch (error) {
        if (error instanceof RequestRefused && refused(error)) return;
        await this.rest(signal);
      }
    }
  }
}
