import { topicNames } from '@holdfast/contracts';
import type { Log } from '@holdfast/log';
import type { Json } from '@holdfast/programs';
import type { Client } from '@holdfast/sdk';
import type { Asks } from './asks.js';
import type { Histories } from './histories.js';
import { TrackedRun, type Purpose } from './tracked-run.js';

/** What is run while processes are struck. */
export type Program = {
  readonly name: string;
  /** A program as `submit` takes it. */
  readonly plan: unknown;
  readonly input: (runId: string) => Json;
};

export type LoadParts = {
  readonly client: Client;
  readonly asks: Asks;
  readonly log: Log;
  readonly namespace: string;
  readonly histories: Histories;
  readonly programs: readonly Program[];
};

const ANSWER_MS = 20_000;

/** Keeps one run of each program under way. */
export class Load {
  runs: TrackedRun[] = [];
  private name = '';
  private going = false;

  constructor(readonly parts: LoadParts) {}

  begin(name: string): void {
    this.name = name;
    this.going = true;
    this.goOn();
  }

  /** No further runs. */
  end(): void {
    this.going = false;
  }

  /** Puts the next run of a program in the place of one that has ended. */
  goOn(): void {
    if (!this.going) return;
    for (const program of this.parts.programs) {
      const open = this.runs.some((run) => run.program === program.name && run.purpose === 'carried' && !run.ended);
      if (!open) this.submit(program, 'carried');
    }
  }

  /** Whether of each program a run has begun and not ended. Throws when one was refused. */
  isUnderWay(): boolean {
    this.goOn();
    const refused = this.runs.find((run) => run.refused !== null)?.refused;
    if (refused != null) throw new Error(refused);
    return this.parts.programs.every(({ name }) =>
      this.runs.some((run) => run.program === name && run.scheduled > 0 && run.ended === null),
    );
  }

  /** One more run of each program. */
  add(purpose: Purpose): readonly TrackedRun[] {
    return this.parts.programs.map((program) => this.submit(program, purpose));
  }

  cancel(run: TrackedRun): void {
    this.ask(run, () => this.parts.client.cancel(run.runId, { answerWithinMs: ANSWER_MS, principal: 'chaos' }));
  }

  /** Bytes that are no request, on every lane. */
  async garbage(lanes: number): Promise<void> {
    const topic = topicNames(this.parts.namespace).requests;
    const value = Buffer.from('no request');
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => this.parts.log.append(topic, lane, [{ key: 'chaos', value }])),
    );
  }

  /** The runs since the last time, handed over. */
  take(): readonly TrackedRun[] {
    const { runs } = this;
    this.runs = [];
    return runs;
  }

  private submit(program: Program, purpose: Purpose): TrackedRun {
    const runId = `${program.name}-${this.name}-${this.runs.length}`;
    const run = new TrackedRun(runId, program.name, purpose);
    this.runs.push(run);
    this.parts.histories.track(run);
    const submission = { runId, program: program.plan as never, input: program.input(runId) as never };
    this.ask(run, () => this.parts.client.submit({ ...submission, answerWithinMs: ANSWER_MS, principal: 'chaos' }));
    return run;
  }

  private ask(run: TrackedRun, request: () => Promise<unknown>): void {
    this.parts.asks.begin({
      run,
      request,
      refused: ({ message }) => {
        run.refuse(message);
        return true;
      },
    });
  }
}
