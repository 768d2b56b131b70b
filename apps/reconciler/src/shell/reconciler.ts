import { encode, type Verdict } from '@holdfast/contracts';
import { argumentsIn, attemptId, type Digest, type RunState } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import type { Logger } from '@holdfast/sdk';
import type { WatchedClock } from '@holdfast/service';
import { about, noMetrics, noTraces, type Metrics, type Traces } from '@holdfast/telemetry';
import type { FailpointName } from '@holdfast/service/failpoint';
import type { Witness } from '../asking/witness.js';
import type { Rules, Settings } from '../doubt/doubt.rules.js';
import { newReconciler, type Input, type Output, type ReconcilerState } from '../doubt/doubt.state.js';
import { step } from '../doubt/doubt.step.js';
import { unknown, type Answer, type Judgement } from '../doubt/doubt.verdict.js';
import { QuestionWatch } from './question-watch.js';
import { doubtsOf, type DoubtView } from '../doubt/doubt.view.js';

export type ReconcilerParts = {
  readonly settings: Settings;
  readonly rules: Rules;
  readonly witness: Witness;
  readonly log: Log;
  readonly verdictsTopic: string;
  readonly clock: Pick<WatchedClock, 'now' | 'isBorneOut'>;
  readonly digest: Digest;
  readonly logger: Logger;
  readonly failpoint: (name: FailpointName) => void;
  /** The run as the lane's history has it now; undefined when the lane is not held. */
  readonly runOf: (lane: number, runId: string) => RunState | undefined;
  /** Up to where the lane's coordinator has taken verdicts, by a history of which all runs were told; 0: not known. */
  readonly verdictsTakenTo: (lane: number) => number;
  readonly metrics?: Metrics | undefined;
  readonly traces?: Traces | undefined;
};

type Timed<I> = I extends Input ? Omit<I, 'now'> : never;

/** Carries inputs into the machine and its outputs out: asks tools, appends verdicts. Decides nothing. */
export class Reconciler {
  private state: ReconcilerState;
  private readonly asking = new Map<number, AbortController>();
  private stopped = false;

  constructor(private readonly parts: ReconcilerParts) {
    this.state = newReconciler(parts.settings);
  }

  /** The history of a lane has been read to its end. */
  laneSeen(lane: number, runs: Iterable<RunState>): void {
    this.take({ type: 'LaneSeen', lane, doubts: [...runs].flatMap((run) => doubtsOf(lane, run)) });
  }

  /** The history of a run has grown. */
  runSeen(lane: number, runId: string): void {
    const doubts = doubtsOf(lane, this.parts.runOf(lane, runId));
    const known = Object.values(this.state.lanes[lane] ?? {}).some((question) => question.view.runId === runId);
    // Nearly all runs are in no doubt, and the machine need not hear of each of their events.
    if (doubts.length > 0 || known) this.take({ type: 'RunSeen', lane, runId, doubts });
  }

  laneLeft(lane: number): void {
    this.take({ type: 'LaneLeft', lane });
  }

  tick(): void {
    const lanes = Object.keys(this.state.lanes);
    if (lanes.length === 0) return;
    this.take({
      type: 'Ticked',
      taken: Object.fromEntries(lanes.map((lane) => [lane, this.parts.verdictsTakenTo(Number(lane))])),
    });
  }

  /** Asks nothing any more; questions under way are stopped and their answers dropped. */
  stop(): void {
    this.stopped = true;
    for (const asked of this.asking.values()) asked.abort();
    this.asking.clear();
  }

  /** How many doubts are known and how many questions are under way. */
  counts(): { readonly doubts: number; readonly asking: number } {
    const doubts = Object.values(this.state.lanes).reduce((sum, lane) => sum + Object.keys(lane).length, 0);
    return { doubts, asking: this.asking.size };
  }

  private take(input: Timed<Input>): void {
    if (this.stopped) return;
    const { clock } = this.parts;
    const now = clock.now();
    const isProven = clock.isBorneOut;
    if (isProven !== this.state.isClockProven) this.step({ type: 'ClockCompared', isProven, now });
    this.step({ ...input, now } as Input);
  }

  private step(input: Input): void {
    const { state, outputs } = step(this.state, input, this.parts.rules);
    this.state = state;
    for (const output of outputs) this.carryOut(output);
  }

  private carryOut(output: Output): void {
    switch (output.type) {
      case 'Ask':
        void this.ask(output.ask, output.view);
        return;
      case 'StopAsking':
        this.asking.get(output.ask)?.abort();
        this.asking.delete(output.ask);
        return;
      case 'AppendVerdict':
        void this.append(output.lane, output.judgement);
    }
  }

  private async ask(ask: number, view: DoubtView): Promise<void> {
    const { lane, doubtSeq, tool } = view;
    const controller = new AbortController();
    this.asking.set(ask, controller);
    this.loggerOf(view).debug({ doubtSeq, tool }, 'asking what became of an effect');
    const answer = await this.answerTo(view, controller.signal);
    this.asking.delete(ask);
    this.take({ type: 'Answered', lane, doubtSeq, ask, answer });
  }

  private loggerOf(of: Pick<DoubtView, 'lane' | 'runId' | 'stepId' | 'attempt'>): Logger {
    const { lane, runId, stepId } = of;
    const run = this.parts.runOf(lane, runId);
    const traceId = run === undefined || run.status === 'ended' ? undefined : run.trace?.id;
    const traced = traceId === undefined ? {} : { traceId };
    return about(this.parts.logger, { runId, stepId, attemptId: attemptId(of), lane, ...traced });
  }

  private async answerTo(view: DoubtView, signal: AbortSignal): Promise<Answer> {
    const { witness, digest, failpoint, clock, metrics = noMetrics, traces = noTraces } = this.parts;
    const run = this.parts.runOf(view.lane, view.runId);
    const watch = new QuestionWatch({ run, view }, { metrics, traces, now: () => clock.now() });
    try {
      const rebuilt = argumentsIn(run, view, digest);
      if ('problem' in rebuilt) return unknown(`the question could not be put: ${rebuilt.problem}`);
      failpoint('reconciler.ask.before');
      const { traceparent } = watch;
      const logger = this.loggerOf(view);
      const answer = await witness({ tool: view.tool, args: rebuilt.args, key: view.key, signal, logger, traceparent });
      failpoint('reconciler.ask.after');
      watch.ended(answer.verdict);
      return answer;
    } catch (error) {
      return unknown(`the question could not be put: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async append(lane: number, judgement: Judgement): Promise<void> {
    const { log, verdictsTopic, failpoint } = this.parts;
    const { runId, doubtSeq, verdict, probe } = judgement;
    const logger = this.loggerOf({ ...judgement, lane });
    failpoint('reconciler.verdict.before');
    const appended = await log.append(verdictsTopic, lane, [{ key: runId, value: encode(message(judgement)) }]);
    failpoint('reconciler.verdict.after');
    const fields = { doubtSeq, verdict, probe };
    if (appended.outcome === 'appended') {
      this.parts.metrics?.add('holdfast_verdicts_total', { verdict });
      logger.info(fields, `judged an effect: ${verdict}`);
    } else logger.warn({ ...fields, detail: appended.detail }, 'a verdict was not written; it is tried again');
    const outcome = appended.outcome === 'unknown' ? 'unanswered' : appended.outcome;
    const { offset, detail } =
      appended.outcome === 'appended' ? { ...appended, detail: '' } : { ...appended, offset: null };
    this.take({ type: 'VerdictAppended', lane, doubtSeq, probe, outcome, offset, detail });
  }
}

// Everything in it comes from the judgement, so that a repeat has the same bytes.
const message = (judgement: Judgement): Verdict => ({
  type: 'EffectJudged',
  version: 1,
  id: `${judgement.attemptId}/${judgement.doubtSeq}/${judgement.probe}/${judgement.judgedBy}`,
  source: 'holdfast/reconciler',
  subject: judgement.runId,
  time: new Date(judgement.askedAt).toISOString(),
  principal: null,
  data: judgement,
});
