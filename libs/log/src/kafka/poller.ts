import type { BrokerClient } from './client.js';
import { within } from './deadline.js';
import type { Ending } from '../ending.js';
import { fetchFrom } from './fetch.js';
import type { PartitionAnswer } from './fetch.js';
import { answerType } from './internals.js';
import type { Leader } from './session.js';

/** A followed partition. The object stands for one `follow`: another one has another object. */
export type Followed = {
  readonly topic: string;
  readonly partition: number;
  readonly sparse: boolean;
  next: number;
  /** Monotonic ms before which it is left out of polls. */
  restUntil: number;
  /** Monotonic ms until which it counts as busy. */
  busyUntil: number;
};

export type PollHooks = {
  answered(position: Followed, answer: PartitionAnswer): void;
  trouble(error: unknown): void;
  split(positions: readonly Followed[]): Promise<void>;
};

export type PollRules = {
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** Rest after each answer, during which its partitions count as polled. */
  readonly paceMs?: number;
  readonly ending: Ending;
  readonly hooks: PollHooks;
  /** Called each time after polls were started for what was wanted, as far as their leaders were free, and when it falls asleep. */
  readonly started?: () => void;
};

/** Several batches of any one partition, and a few partitions at once: decoding blocks the loop for some 30 ms at most. */
const PARTITION_BYTES_MAX = 1_200_000;
const POLL_BYTES_MAX = 2_400_000;
const RETRY_MS = 50;

/** Keeps one poll under way per leader of the wanted partitions; sleeps while nothing is wanted. */
export class Poller {
  private readonly polls = new Map<string, ReadonlySet<Followed>>();
  private awake: () => void = () => undefined;
  private turn: Promise<void> = Promise.resolve();
  private running = false;

  constructor(
    private readonly client: BrokerClient,
    private readonly rules: PollRules,
    private readonly wanted: () => readonly Followed[],
  ) {
    rules.ending.on(() => this.awake());
  }

  /** Something new may be wanted. */
  wake(): void {
    this.awake();
    if (this.running || this.rules.ending.isOver) return;
    this.running = true;
    void this.run();
  }

  /** Wakes it only if it sleeps. */
  rouse(): void {
    if (!this.running) this.wake();
  }

  covers(position: Followed): boolean {
    return [...this.polls.values()].some((positions) => positions.has(position));
  }

  private async run(): Promise<void> {
    while (!this.rules.ending.isOver) {
      this.turn = new Promise((resolve) => {
        this.awake = resolve;
      });
      if (this.isIdle() && this.maySleep()) break;
      this.start(this.wanted());
      this.rules.started?.();
      await this.turn;
    }
    this.running = false;
  }

  /** What is wanted here no longer may be wanted by another poller that sleeps: it is told first. */
  private maySleep(): boolean {
    this.rules.started?.();
    return this.isIdle();
  }

  private isIdle(): boolean {
    return this.wanted().length === 0 && this.polls.size === 0;
  }

  /** Starts a poll for each leader without one. A partition whose leader is not known is looked up on its own. */
  private start(wanted: readonly Followed[]): void {
    const groups = new Map<string, Followed[]>();
    for (const position of wanted) {
      const { topic, partition } = position;
      const node = this.client.route(topic, partition) ?? `? ${partition} ${topic}`;
      const group = groups.get(node);
      if (group === undefined) groups.set(node, [position]);
      else group.push(position);
    }
    for (const [node, positions] of groups) {
      if (this.polls.has(node)) continue;
      this.polls.set(node, new Set(positions));
      void this.poll(node, positions);
    }
  }

  private async poll(node: string, positions: readonly Followed[]): Promise<void> {
    const { ending, hooks } = this.rules;
    let leader: Leader | null = null;
    try {
      leader = await this.leader(positions);
      // Found only now, or moved since it was routed: grouped with its like in the next turn.
      if (leader?.node === node) await this.fetch(leader, positions);
    } catch (error) {
      if (leader !== null) this.client.blame(leader, error);
      if (leader !== null && answerType(error) !== null) await hooks.split(positions);
      else {
        hooks.trouble(error);
        await ending.pause(RETRY_MS);
      }
    } finally {
      this.polls.delete(node);
      this.awake();
    }
  }

  private async leader([first]: readonly Followed[]): Promise<Leader | null> {
    if (first === undefined) return null;
    const { timeoutMs, ending } = this.rules;
    return within(this.client.leader(first.topic, first.partition), timeoutMs, `leader of ${first.topic}`, ending);
  }

  private async fetch(leader: Leader, positions: readonly Followed[]): Promise<void> {
    const { pollMs, paceMs = 0, timeoutMs, hooks, ending } = this.rules;
    const limits = { waitMs: pollMs, bytesMax: POLL_BYTES_MAX, partitionBytesMax: PARTITION_BYTES_MAX };
    const answers = await within(fetchFrom(leader.broker, positions, limits), pollMs + timeoutMs, 'tail', ending);
    const byKey = new Map(answers.map((answer) => [`${answer.partition} ${answer.topic}`, answer]));
    for (const position of positions) {
      const answer = byKey.get(`${position.partition} ${position.topic}`);
      if (answer !== undefined) hooks.answered(position, answer);
    }
    if (paceMs > 0) await ending.pause(paceMs);
  }
}
