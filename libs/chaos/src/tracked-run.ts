import type { EndReason, ReplayPolicy, RunEvent, RunEventData, RunState } from '@holdfast/events';
import { argsOf, type Json } from '@holdfast/programs';

/** A step of a run, with what its tool needs in order to be asked about it. */
export type TrackedStep = {
  readonly stepId: string;
  readonly tool: string;
  readonly policy: ReplayPolicy;
  readonly key: string;
  /** Of attempts that were not given the key of the first: there must be none. */
  readonly otherKeys: string[];
  /** Null where they could not be rebuilt from history. */
  readonly args: Json | null;
  succeeded: boolean;
};

export type Question = { readonly seq: number } & Pick<RunEventData<'EscalationOpened'>, 'stepId' | 'kind' | 'choices'>;

export const keysOf = ({ key, otherKeys }: TrackedStep): readonly string[] => [key, ...otherKeys];

/** What a run is for: to be under way when a process is struck, or to be cancelled before its calls are claimed. */
export type Purpose = 'carried' | 'cancelled';

/** A run as its history tells it. Times are of this process, epoch ms, when the record was read. */
export class TrackedRun {
  readonly steps = new Map<string, TrackedStep>();
  /** When a step succeeded, and when the run ended. */
  readonly progressAt: number[] = [];
  acceptedAt: number | null = null;
  ended: { readonly reason: EndReason; readonly at: number } | null = null;
  scheduled = 0;
  doubts = 0;
  conflicts = 0;
  /** Why it was never accepted. */
  refused: string | null = null;
  /** A question was answered without anybody being able to know: `fail`. */
  givenUp = false;

  constructor(
    readonly runId: string,
    readonly program: string,
    readonly purpose: Purpose,
  ) {}

  refuse(why: string): void {
    // A cancel that comes after the end is refused as well.
    if (this.acceptedAt === null) this.refused ??= why;
  }

  isUnderWay(at: number): boolean {
    return this.acceptedAt !== null && this.acceptedAt <= at && (this.ended === null || this.ended.at > at);
  }

  progressAfter(at: number): number | null {
    return this.progressAt.find((moment) => moment > at) ?? null;
  }

  /** Takes in one valid record; `state` holds it already. Answers the question to a person, if it is one. */
  note(
    { event, seq, now }: { readonly event: RunEvent; readonly seq: number; readonly now: number },
    state?: RunState,
  ) {
    switch (event.type) {
      case 'RunAccepted':
        this.acceptedAt = now;
        return null;
      case 'StepScheduled':
        this.schedule(event.data, state);
        return null;
      case 'StepSucceeded': {
        const step = this.steps.get(event.data.stepId);
        if (step !== undefined) step.succeeded = true;
        this.progressAt.push(now);
        return null;
      }
      case 'DoubtOpened':
        this.doubts += 1;
        return null;
      case 'ConflictFound':
        this.conflicts += 1;
        return null;
      case 'EscalationOpened': {
        const { stepId, kind, choices } = event.data;
        return { seq, stepId, kind, choices } satisfies Question;
      }
      case 'RunEnded':
        this.ended = { reason: event.data.reason, at: now };
        this.progressAt.push(now);
        return null;
      default:
        return null;
    }
  }

  private schedule({ stepId, tool, policy, key }: RunEventData<'StepScheduled'>, state?: RunState): void {
    this.scheduled += 1;
    const known = this.steps.get(stepId);
    if (known === undefined) {
      const args = argumentsIn(state, stepId);
      this.steps.set(stepId, { stepId, tool, policy, key, otherKeys: [], args, succeeded: false });
    } else if (!keysOf(known).includes(key)) known.otherKeys.push(key);
  }
}

const argumentsIn = (state: RunState | undefined, stepId: string): Json | null => {
  if (state === undefined || state.status === 'ended') return null;
  const resolved = argsOf(state.program, state.input, state.progress, stepId);
  return 'args' in resolved ? resolved.args : null;
};
