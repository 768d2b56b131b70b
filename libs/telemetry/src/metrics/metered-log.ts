import type { Log } from '@holdfast/log';
import type { Metrics } from './metrics.port.js';

/** The same log, with its appends counted and timed. Topics are told without their namespace. */
export const meteredLog = (log: Log, metrics: Metrics, namespace: string): Log => {
  const short = (topic: string): string =>
    topic.startsWith(`${namespace}.`) ? topic.slice(namespace.length + 1) : topic;
  return {
    append: async (topic, partition, records) => {
      const begun = performance.now();
      const answer = await log.append(topic, partition, records);
      const name = short(topic);
      metrics.add('holdfast_log_appends_total', { topic: name, answer: answer.outcome });
      metrics.observe('holdfast_log_append_seconds', { topic: name }, (performance.now() - begun) / 1_000);
      return answer;
    },
    read: (...asked) => log.read(...asked),
    bounds: (...asked) => log.bounds(...asked),
    tail: (...asked) => log.tail(...asked),
    close: () => log.close(),
  };
};
