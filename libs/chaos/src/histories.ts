import { topicNames } from '@holdfast/contracts';
import type { RunEvent } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { followLanes, sha256, type LanesFollower } from '@holdfast/sdk';
import { keysOf, type Question, type TrackedRun } from './tracked-run.js';

export type HistoriesOptions = {
  readonly log: Log;
  readonly namespace: string;
  /** A run asks a person something. */
  readonly asked: (run: TrackedRun, question: Question) => void;
};

/** Follows all lanes of a namespace and keeps the runs that are tracked up to date. */
export class Histories {
  private readonly runs = new Map<string, TrackedRun>();
  private readonly follower: LanesFollower;
  /** Why a history is not sound; null as long as all are. */
  defect: string | null = null;

  constructor(private readonly options: HistoriesOptions) {
    const { log, namespace } = options;
    this.follower = followLanes({
      log,
      topic: topicNames(namespace).history,
      digest: sha256,
      onRecord: ({ folded, record }, _, state) => {
        const run = this.runs.get(record.subject ?? '');
        if (folded !== 'valid' || run === undefined) return;
        // Events of the lane itself name no run.
        const event = record.event as RunEvent;
        const question = run.note({ event, seq: record.lane.seq, now: Date.now() }, state.runs.get(run.runId)?.run);
        if (question !== null) this.options.asked(run, question);
      },
      onDefect: (defect, lane) => (this.defect ??= `lane ${lane} of ${namespace}: ${defect.message}`),
    });
  }

  follow(lanes: number): void {
    for (let lane = 0; lane < lanes; lane += 1) this.follower.follow(lane);
  }

  /** Of all steps that were scheduled. */
  keys(): readonly string[] {
    return [...this.runs.values()].flatMap((run) => [...run.steps.values()].flatMap(keysOf));
  }

  track(run: TrackedRun): void {
    this.runs.set(run.runId, run);
  }

  close(): Promise<void> {
    return this.follower.close();
  }
}
