import { DeadlineExceeded } from './deadline.js';
import { answerType } from './internals.js';

/** Of kafkajs: nobody could be reached, or whoever was asked did not answer. */
const NAMES: ReadonlySet<string> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
]);
/** Answers of brokers that are busy or do not know yet who leads. */
const TYPES: ReadonlySet<string | null> = new Set([
  'REQUEST_TIMED_OUT',
  'NOT_CONTROLLER',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
]);

/** Whether an error only says that the cluster did not answer: nothing is known then, and asking again may help. */
export const isUnanswered = (error: unknown): boolean => {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof DeadlineExceeded || NAMES.has(at.name) || TYPES.has(answerType(at))) return true;
  return false;
};
