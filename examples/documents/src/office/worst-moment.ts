import type { Call } from './calls.js';
import type { Conduct } from './conduct.js';

/** A call that is under way, with what will become of it if its client dies. */
export type OpenCall = {
  readonly call: Call;
  readonly applyDueAt: number;
  readonly answerDueAt: number;
  readonly appliesWhenGone: boolean;
};

/** So long a moment lasts at least: whoever is told of it needs time to act. */
const ANSWER_LEFT_MS = 20;
/** On a busy machine a killed process keeps its sockets for a while, and a call filed meanwhile is not dropped. */
const APPLY_LEFT_MS = 80;
const LOOK_EVERY_MS = 2;
/** The run goes on while one waits: where few calls are under way at a time, a bad moment will do, and then any. */
const WORST_WITHIN_MS = 1_500;
const BAD_WITHIN_MS = 3_000;

/** Filed, and its client has not been told: one that dies now does not know. */
const isFiledUnanswered = ({ call, answerDueAt }: OpenCall, now: number): boolean =>
  call.appliedAt !== null && call.goneAt === null && answerDueAt - now >= ANSWER_LEFT_MS;

/** Not filed, and it never will be if its client dies now. */
const isLostOnDeath = ({ call, applyDueAt, appliesWhenGone }: OpenCall, now: number): boolean =>
  call.appliedAt === null && call.goneAt === null && !appliesWhenGone && applyDueAt - now >= APPLY_LEFT_MS;

/** How bad it is for a client to die now: both kinds of doubt at once, one that it filed, or nothing special. */
export const badness = (open: readonly OpenCall[], now: number): 'worst' | 'bad' | 'harmless' => {
  if (!open.some((one) => isFiledUnanswered(one, now))) return 'harmless';
  return open.some((one) => isLostOnDeath(one, now)) ? 'worst' : 'bad';
};

/** The calls under way, and those who wait for a bad moment. */
export class UnderWay {
  private readonly open = new Set<OpenCall>();

  /** Returns how to end it. */
  begin(call: Call, { beforeMs, afterMs, appliesWhenGone }: Conduct): () => void {
    const applyDueAt = call.receivedAt + beforeMs;
    const one: OpenCall = { call, applyDueAt, answerDueAt: applyDueAt + afterMs, appliesWhenGone };
    this.open.add(one);
    return () => void this.open.delete(one);
  }

  /** Calls back in a moment as bad as can be had without waiting for long. */
  worstMoment(tell: (found: 'worst' | 'bad' | 'harmless') => void): void {
    const since = Date.now();
    const timer = setInterval(() => {
      const now = Date.now();
      const found = badness([...this.open], now);
      const enough = found === 'worst' || now - since > (found === 'bad' ? WORST_WITHIN_MS : BAD_WITHIN_MS);
      if (!enough) return;
      clearInterval(timer);
      tell(found);
    }, LOOK_EVERY_MS);
  }
}
