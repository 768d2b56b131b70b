import type { Consumer } from 'kafkajs';
import { detailOf } from './internals.js';
import type { HeldSeats } from './held-seats.js';

export type SeatConsumer = Pick<Consumer, 'on' | 'events' | 'connect' | 'subscribe' | 'run' | 'disconnect'>;

export type SeatMember = {
  readonly consumer: SeatConsumer;
  readonly topic: string;
  readonly seats: Pick<HeldSeats, 'assigned' | 'heard'>;
  /** Fulfilled, with the reason, when the consumer is to be a member no more. */
  readonly ended: Promise<string>;
  readonly joined: () => void;
};

/** Why it ended, and when the consumer has left the group. */
export type MemberEnd = { readonly reason: string; readonly gone: Promise<void> };

/**
 * One consumer's life, from its connection to its crash or its end, which may come while it still joins. What it tells
 * after that is not heard: another has taken its place.
 */
export const liveAsMember = async ({ consumer, topic, seats, ended, joined }: SeatMember): Promise<MemberEnd> => {
  const { CRASH, GROUP_JOIN, HEARTBEAT } = consumer.events;
  let isOver = false;
  const crashed = new Promise<string>((resolve) => {
    consumer.on(CRASH, ({ payload }) => {
      isOver = true;
      resolve(detailOf(payload.error));
    });
  });
  consumer.on(GROUP_JOIN, ({ payload }) => {
    if (!isOver) seats.assigned(payload.memberAssignment[topic] ?? []);
  });
  consumer.on(HEARTBEAT, () => {
    if (!isOver) seats.heard();
  });
  const over = Promise.race([ended, crashed]);
  const joining = join(consumer, topic, () => isOver);
  let isJoining = true;
  void joining.finally(() => (isJoining = false)).catch(() => undefined);
  const reason = await Promise.race([joining.then(() => null), over]).catch(detailOf);
  if (reason === null) joined();
  const end = reason ?? (await over);
  isOver = true;
  return { reason: end, gone: isJoining ? leaveLate(consumer, joining) : leave(consumer) };
};

const join = async (consumer: SeatConsumer, topic: string, isOver: () => boolean): Promise<void> => {
  await consumer.connect();
  if (isOver()) return;
  await consumer.subscribe({ topic });
  if (isOver()) return;
  await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
};

const leave = (consumer: SeatConsumer): Promise<void> => consumer.disconnect().catch(() => undefined);

/** Leaving does not stop a joining that is under way: what it made a member of the group leaves once more. */
const leaveLate = async (consumer: SeatConsumer, joining: Promise<void>): Promise<void> => {
  await leave(consumer);
  await joining.catch(() => undefined);
  await leave(consumer);
};
