import {
  claimKind,
  decode,
  encode,
  journalKind,
  lanePlan,
  queuePlan,
  topicNames,
  type StepOrder,
} from '@holdfast/contracts';
import { argsHash } from '@holdfast/events';
import { createMemoryLog, MemoryCluster, type MemoryLog } from '@holdfast/log';
import { defineTool, sha256, silentLogger, toolSet, type Tool, type ToolContext } from '@holdfast/sdk';
import { z } from 'zod';
import type { ToParent } from '../../apps/executor/src/channel/channel.js';
import type { Settings } from '../../apps/executor/src/session/session.state.js';
import { Worker } from '../../apps/executor/src/worker/worker.js';
import { ManualTimer } from './manual-timer.js';

const QUEUE = 'default';
const LANE = 1;
export type Run = (args: { text: string }, context: ToolContext) => unknown;

const envelope = { version: 1, source: 'bench', subject: null, time: '', principal: null } as const;

export type BenchOptions = {
  readonly session?: string;
  /** Another worker on the same log, at the same time, that believes in the same seat. */
  readonly beside?: WorkerBench;
};

/** A worker on a log in memory, with a coordinator's and a parent's words at hand. */
export class WorkerBench {
  readonly names = topicNames('t');
  readonly timer: ManualTimer;
  readonly cluster: MemoryCluster;
  readonly log: MemoryLog;
  readonly told: ToParent[] = [];
  readonly calls: string[] = [];
  readonly worker: Worker;
  isDrained = false;
  private readonly tools: readonly Tool[];
  private readonly session: string;
  private sequence = 0;

  constructor(
    run: Run = () => ({ ok: true }),
    settings: Partial<Settings> = {},
    { session = 'S0', beside }: BenchOptions = {},
  ) {
    this.session = session;
    this.timer = beside?.timer ?? new ManualTimer();
    this.cluster = beside?.cluster ?? new MemoryCluster({ now: () => this.timer.clocks().now });
    this.log = createMemoryLog(this.cluster, { timer: (ms, work) => this.timer.after(ms, work) });
    const plans = [...lanePlan(this.names, 2), ...queuePlan(this.names, QUEUE, 1)];
    if (beside === undefined) for (const plan of plans) this.cluster.create(plan);
    const counted: Run = (args, context) => {
      this.calls.push(context.stepId);
      return run(args, context);
    };
    this.tools = [tool('effect', { policy: 'unprotected' }, counted), tool('look', 'pure', counted)];
    this.worker = new Worker(
      {
        log: this.log,
        names: this.names,
        lanes: 2,
        tools: toolSet(this.tools),
        timer: this.timer,
        logger: silentLogger,
        clocks: this.timer.clocks,
        tell: (message) => this.told.push(message),
        drained: () => (this.isDrained = true),
      },
      settings,
    );
    this.worker.receive({ type: 'open-session', session });
    this.beats();
    this.worker.receive({ type: 'seat-gained', queue: QUEUE, partition: 0, from: 0 });
  }

  beats(): void {
    const sent = this.timer.clocks();
    const sessions = [this.session];
    this.worker.receive({ type: 'beat-acknowledged', sessions, sent, clockOffMs: 0, clockIsRight: true });
  }

  /** Time passes with heartbeats all along. */
  async pass(ms = 100): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      this.beats();
      await this.timer.pass(Math.min(100, left));
    }
  }

  order(stepId: string, over: Partial<StepOrder> = {}): StepOrder {
    const name = over.policy === 'pure' ? 'look@1' : 'effect@1';
    const args = over.args ?? { text: stepId };
    return {
      attemptId: `run/${stepId}/0`,
      runId: 'run',
      stepId,
      attempt: 0,
      tool: name,
      toolHash: this.tools.find(({ ref }) => ref === name)?.catalogueEntry().hash ?? '',
      policy: 'unprotected',
      args,
      argsHash: argsHash(sha256, args),
      key: `key/${stepId}`,
      startBy: this.timer.clocks().now + 60_000,
      timeoutMs: 5_000,
      claimsFrom: 0,
      settling: false,
      alone: false,
      keyValidUntil: null,
      ...over,
    };
  }

  /** The coordinator issues the orders. */
  issue(...orders: StepOrder[]): void {
    const entries = orders.map((order) => {
      const data = { queue: QUEUE, partition: 0, lane: LANE, steps: [order] };
      return { key: order.attemptId, value: encode({ ...envelope, type: 'ExecuteSteps', id: this.nextId(), data }) };
    });
    this.cluster.partition(this.names.commands(QUEUE), 0).append(entries);
  }

  /** Somebody else writes to the claims. */
  claim(type: 'AttemptClaimed' | 'AttemptClosed', stepId: string): void {
    const startBy = this.timer.clocks().now + 60_000;
    const claimed = { session: 'other', deadline: startBy, startBy, argsHash: '' };
    const rest = type === 'AttemptClaimed' ? claimed : { closedBy: 'coordinator', startBy };
    const data = { attemptId: `run/${stepId}/0`, ...rest };
    const value = encode({ ...envelope, type, id: this.nextId(), data });
    this.cluster.partition(this.names.claims(QUEUE), 0).append([{ key: data.attemptId, value }]);
  }

  abort(): void {
    const data = { runId: 'run', reason: 'cancelled', mode: 'abort', lane: LANE, seq: 1 };
    const value = encode({ ...envelope, type: 'AbortRun', id: this.nextId(), data });
    this.cluster.partition(this.names.aborts, 0).append([{ key: 'run', value }]);
  }

  claims() {
    return this.read(this.names.claims(QUEUE), 0).flatMap(({ value }) => {
      const decoded = decode(claimKind, value);
      return decoded.ok ? [decoded.message] : [];
    });
  }

  words() {
    return this.read(this.names.journal, LANE).flatMap(({ value }) => {
      const decoded = decode(journalKind, value);
      return decoded.ok ? [decoded.message] : [];
    });
  }

  said(): string[] {
    return this.words().map(({ type, data }) => `${type} ${data.stepId}`);
  }

  read(topic: string, partition: number) {
    const found = this.cluster.partition(topic, partition);
    return found.slice(0, found.bounds().end, Infinity);
  }

  position(): number | undefined {
    const last = this.told.findLast((message) => message.type === 'positions');
    return last?.type === 'positions' ? last.positions[0]?.next : undefined;
  }

  private nextId(): string {
    this.sequence += 1;
    return `m${this.sequence}`;
  }
}

const tool = (name: string, replay: 'pure' | { policy: 'unprotected' }, run: Run): Tool =>
  defineTool({
    name,
    version: '1',
    input: z.object({ text: z.string() }),
    output: z.json(),
    replay,
    timeoutMs: 5_000,
    run: async (args, context) => run(args, context) as z.infer<ReturnType<typeof z.json>>,
  }) as unknown as Tool;
