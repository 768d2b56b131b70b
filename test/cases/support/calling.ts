import type { StepOrder } from '@holdfast/contracts';
import { callTool, silentLogger, type CallOutcome, type Tool } from '@holdfast/sdk';
import { catalogueOf } from '../../support/tools.js';
import { LaneHarness, queueOf } from '../../support/lane-harness.js';
import { word } from '../../support/messages.js';

/** A coordinator's lane, and an executor that really calls one tool for it: each attempt once, when it is told to. */
export class Calling {
  readonly lane: LaneHarness;
  private readonly made = new Set<string>();

  constructor(private readonly tool: Tool) {
    this.lane = new LaneHarness();
    this.lane.catalogue = catalogueOf(tool.catalogueEntry());
    this.lane.queues = {
      default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools: new Set([tool.ref]) }] }),
    };
    this.lane.seat();
  }

  /** The attempts that were ordered and not made yet. */
  get open(): readonly StepOrder[] {
    return this.lane.reactions.flatMap((reaction) =>
      reaction.kind === 'command' && !this.made.has(reaction.order.attemptId) ? [reaction.order] : [],
    );
  }

  /** Makes all attempts that are open, and those that follow from them at once. Says how many there were. */
  async finish(): Promise<number> {
    for (let [order] = this.open; order !== undefined; [order] = this.open) await this.make(order);
    return this.made.size;
  }

  private async make(order: StepOrder): Promise<void> {
    const { attemptId, runId, stepId, attempt, key, args } = order;
    this.made.add(attemptId);
    this.lane.claims(attemptId);
    const outcome = await callTool(this.tool, args, {
      key,
      runId,
      stepId,
      attempt,
      deadline: Date.now() + this.tool.timeoutMs,
      signal: new AbortController().signal,
      refusal: () => null,
      progress: () => undefined,
      logger: silentLogger,
      now: () => Date.now(),
    });
    this.lane.arrive({ kind: 'journal', word: this.wordOf(outcome, order) });
  }

  private wordOf(outcome: CallOutcome, { runId, stepId, attempt }: StepOrder) {
    const who = { runId, step: stepId, attempt };
    if (outcome.outcome === 'unknown') return word('AttemptUnknown', who, { failure: outcome.failure });
    if (outcome.outcome === 'failed')
      return word('AttemptFailed', who, { failure: outcome.failure, retry: outcome.retry });
    return word('AttemptSucceeded', who, { result: 'result' in outcome ? outcome.result : outcome.omitted });
  }
}
