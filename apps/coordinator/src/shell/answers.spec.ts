import { encode, lanePlan, queuePlan, topicNames, type Request } from '@holdfast/contracts';
import { eventually } from '@holdfast/dev';
import { decodeHistory, type HistoryEvent } from '@holdfast/events';
import { MemoryCluster, MemoryGroups } from '@holdfast/log';
import { coordinatorOn } from '../../../../test/support/coordinating.js';
import { planOf } from '../../../../test/support/plans.js';
import { RULES, type Rules } from '../run/rules.js';

const names = topicNames('t');
const WITHIN_MS = 600_000;

/** One lane, its requests and its history, and coordinators that come and go. Time passes by itself, and by `pass`. */
class Lane {
  #passedMs = 0;
  readonly #now = (): number => Date.now() + this.#passedMs;
  readonly #cluster = new MemoryCluster({ now: this.#now });
  readonly #groups = new MemoryGroups(this.#cluster);

  constructor() {
    for (const plan of [...lanePlan(names, 1), ...queuePlan(names, 'default', 1)]) this.#cluster.create(plan);
  }

  async coordinator(rules: Rules): Promise<{ readonly stop: () => Promise<void> }> {
    const config = { lanes: '1', skewMs: '50' };
    const seats = this.#groups.seats('me');
    const { coordinator, stop } = coordinatorOn(this.#cluster, names, { config, seats, now: this.#now, rules });
    await coordinator.start();
    return { stop };
  }

  /** While nobody is there: no clock jumps under a coordinator. */
  pass(ms: number): void {
    this.#passedMs += ms;
  }

  ask(type: Request['type'], data: object): void {
    const time = new Date(this.#now()).toISOString();
    const message = { type, version: 1, id: type, source: 'test', subject: 'r', time, principal: 'ann', data };
    this.#cluster.partition(names.requests, 0).append([{ key: 'r', value: encode(message) }]);
  }

  get events(): readonly { readonly seq: number; readonly event: HistoryEvent }[] {
    const history = this.#cluster.partition(names.history, 0);
    return history.slice(0, history.bounds().end, 1_000_000).flatMap(({ value }) => {
      const decoded = decodeHistory(value);
      return decoded.ok ? [{ seq: decoded.record.lane.seq, event: decoded.record.event }] : [];
    });
  }

  find(type: HistoryEvent['type']) {
    return this.events.find(({ event }) => event.type === type);
  }
}

/** How a run ends whose question was answered in time, while no coordinator was there until its time was over. */
const answeredWhileNobodyWasThere = async (rules: Rules): Promise<unknown> => {
  const lane = new Lane();
  const first = await lane.coordinator(rules);
  const ask = { question: 'Go on?', choices: ['yes', 'no'], withinMs: WITHIN_MS };
  lane.ask('SubmitRun', { requestId: 'submit', runId: 'r', program: planOf({ id: 'q', ask }) });
  await eventually('the question is asked', () => lane.find('EscalationOpened') !== undefined);
  await first.stop();
  const { seq } = lane.find('EscalationOpened') ?? { seq: -1 };
  lane.ask('AnswerEscalation', { requestId: 'answer', runId: 'r', escalation: seq, choice: 'yes' });
  lane.pass(WITHIN_MS + 1_000);
  const second = await lane.coordinator(rules);
  try {
    await eventually('the run ends', () => lane.find('RunEnded') !== undefined);
  } finally {
    await second.stop();
  }
  const end = lane.find('RunEnded')?.event;
  return end?.type === 'RunEnded' ? end.data.reason : end;
};

describe('an answer that was given in time, and stands unread when the time is over', () => {
  it('counts: its coordinator reads all that was asked before it takes silence for an answer', async () => {
    expect(await answeredWhileNobodyWasThere(RULES)).toBe('succeeded');
  });

  it('would be lost if it did not', async () => {
    expect(await answeredWhileNobodyWasThere({ ...RULES, answersBeforeExpiry: false })).toBe('escalation_expired');
  });
});
