import { encode, lanePrincipal, type Message, type TopicNames } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import type { Entry, Log } from '@holdfast/log';
import type { Clock, Timer } from '@holdfast/sdk';
import type { ServiceLogger } from '@holdfast/service';
import { failpoint } from '@holdfast/service/failpoint';
import type { Reaction } from '../run/run.react.js';
import { appendUntilAcknowledged } from './append-until.js';
import { batches } from './batches.js';

export type PublisherParts = {
  readonly log: Log;
  readonly names: TopicNames;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: ServiceLogger;
  readonly lane: number;
  readonly lanes: number;
  /** Everything up to this number was acknowledged. Called in order. */
  readonly reacted: (through: number) => void;
};

type Told = Pick<Message, 'type' | 'id' | 'subject' | 'data' | 'traceparent'>;
type Addressed = { readonly topic: string; readonly partition: number; readonly entry: Entry };

/** Tells the world what follows from valid history, at least once: repeats are harmless, a loss is not. */
export class Publisher {
  #generation = 0;
  #tail: Promise<void> = Promise.resolve();

  constructor(readonly parts: PublisherParts) {}

  /** What was not acknowledged yet is left to the next owner. */
  stop(): void {
    this.#generation += 1;
  }

  publish(reactions: readonly Reaction[], through: number): void {
    const generation = this.#generation;
    const groups = new Map<string, Addressed[]>();
    for (const reaction of reactions) {
      const addressed = this.#address(reaction);
      const key = `${addressed.topic}/${addressed.partition}`;
      groups.set(key, [...(groups.get(key) ?? []), addressed]);
    }
    if (reactions.length > 0) failpoint('coordinator.publish.before');
    const sent = [...groups.values()].map((group) => this.#send(group, generation));
    this.#tail = this.#acknowledge(this.#tail, sent, { generation, through, any: reactions.length > 0 });
  }

  /** In order: a later batch counts as told only once the ones before it do. */
  async #acknowledge(
    before: Promise<void>,
    sent: readonly Promise<void>[],
    batch: { readonly generation: number; readonly through: number; readonly any: boolean },
  ): Promise<void> {
    await Promise.all([before, ...sent]);
    if (batch.generation !== this.#generation) return;
    if (batch.any) failpoint('coordinator.publish.after');
    this.parts.reacted(batch.through);
  }

  async #send(group: readonly Addressed[], generation: number): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    for (const entries of batches(group.map(({ entry }) => entry))) {
      try {
        await appendUntilAcknowledged(this.parts, first, entries, () => generation === this.#generation);
      } catch (error) {
        // The broker will never take it; the run's own time limits decide what becomes of it.
        this.parts.logger.error({ topic: first.topic, err: error }, 'a message could not be published');
      }
    }
  }

  #address(reaction: Reaction): Addressed {
    const { names, lane } = this.parts;
    switch (reaction.kind) {
      case 'command': {
        const { queue, partition, order } = reaction;
        const data = { queue, partition, lane, steps: [order] };
        const entry = this.#entry(order.attemptId, {
          type: 'ExecuteSteps',
          id: order.attemptId,
          subject: order.runId,
          data,
        });
        return { topic: names.commands(queue), partition, entry };
      }
      case 'abort': {
        const { runId, reason, mode, seq } = reaction;
        const data = { runId, reason, mode, lane, seq };
        return {
          topic: names.aborts,
          partition: 0,
          entry: this.#entry(runId, { type: 'AbortRun', id: `${lane}/${seq}`, subject: runId, data }),
        };
      }
      case 'request': {
        const { home, request, seq, traceparent } = reaction;
        const { requestId } = request.data;
        const told = { type: request.type, id: `${lane}/${seq}/${requestId}`, subject: home, data: request.data };
        const message = traceparent === undefined ? told : { ...told, traceparent };
        const partition = laneOf(home, this.parts.lanes);
        return { topic: names.requests, partition, entry: this.#entry(home, message, lanePrincipal(lane)) };
      }
      case 'reply': {
        const { reply, seq } = reaction;
        const message = {
          type: 'RequestAnswered',
          id: `${reply.requestId}/${seq}`,
          subject: reply.runId,
          data: { ...reply, lane, seq },
        };
        return { topic: names.replies, partition: lane, entry: this.#entry(reply.runId, message) };
      }
    }
  }

  #entry(key: string, message: Told, principal: string | null = null): Entry {
    const time = new Date(this.parts.clock.now()).toISOString();
    return { key, value: encode({ ...message, version: 1, source: 'holdfast/coordinator', time, principal }) };
  }
}
