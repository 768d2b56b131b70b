import assert from 'node:assert/strict';
import type { Json } from '@holdfast/programs';
import { runTool, verifyTool, type CallFrame, type JsonVerdict, type ToolRun } from '@holdfast/sdk';
import type { Begun, Fault, ProbeWorld } from './probe-world.js';

/** A try that ended in a failure which can be tried again at once is tried this often: others may be at work. */
const TRIES_MAX = 20;

/** Plays calls and questions in a world, and looks at all that is said. */
export class Played {
  private readonly faults: (() => Promise<void>)[] = [];

  constructor(
    private readonly world: ProbeWorld,
    private readonly keys: string,
  ) {}

  /** The key of the nth step of this case. */
  key(nth = 0): string {
    return `${this.keys}/step[${nth}]`;
  }

  args(text = 'a text'): Json {
    return this.world.args(text);
  }

  async call(nth = 0, overrides: Partial<CallFrame> & { readonly args?: Json } = {}): Promise<ToolRun> {
    const { args = this.args(), ...rest } = overrides;
    const outcome = await runTool(this.world.tool, args, { key: this.key(nth), ...rest });
    this.keepsSecrets(outcome);
    return outcome;
  }

  /** Calls as the runtime would: again, as the next attempt, while the tool says that nothing happened and that it helps. */
  async callUntilDone(nth = 0, args: Json = this.args()): Promise<Json> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.call(nth, { args, attempt });
      if (outcome.outcome === 'succeeded' && 'result' in outcome) return outcome.result;
      const again = outcome.outcome === 'failed' && outcome.retry !== 'never' && attempt < TRIES_MAX;
      assert.ok(again, `the call ended with ${JSON.stringify(outcome)}`);
    }
  }

  async ask(nth = 0, args: Json = this.args()): Promise<JsonVerdict> {
    const verdict = await verifyTool(this.world.tool, args, { key: this.key(nth) });
    const { summary, details } = verdict.evidence;
    assert.notEqual(summary, '', 'a verdict without a word of evidence');
    assert.ok(!JSON.stringify(details ?? null).includes('"omitted":'), 'evidence that does not fit into a record');
    this.keepsSecrets(verdict);
    return verdict;
  }

  /** Asks and expects this verdict; the recovered result where it is `applied`. */
  async finds(expected: JsonVerdict['verdict'], nth = 0, args: Json = this.args()): Promise<Json> {
    const verdict = await this.ask(nth, args);
    assert.equal(verdict.verdict, expected, JSON.stringify(verdict.evidence));
    return verdict.verdict === 'applied' ? verdict.result : null;
  }

  async counts(expected: number, nth = 0): Promise<void> {
    assert.equal(await this.world.effects(this.key(nth)), expected, 'effects at the counterpart');
  }

  effects(nth = 0): Promise<number> {
    return this.world.effects(this.key(nth));
  }

  async begin(fault: Fault): Promise<Begun> {
    const begun = await this.world.fault(fault);
    let ended: Promise<void> | null = null;
    const end = (): Promise<void> => (ended ??= begun.end());
    this.faults.push(end);
    return { reached: begun.reached, end };
  }

  async endFaults(): Promise<void> {
    for (const end of this.faults) await end();
  }

  /** Plays while something is wrong, and lets it end whatever happens. */
  async during<T>(fault: Fault, play: () => Promise<T>): Promise<T> {
    const begun = await this.begin(fault);
    try {
      return await play();
    } finally {
      await begun.end();
    }
  }

  private keepsSecrets(said: object): void {
    const text = JSON.stringify(said);
    for (const secret of this.world.secrets) assert.ok(!text.includes(secret), 'a secret is told');
  }
}

export type Case = { readonly name: string; readonly play: (played: Played) => Promise<void> };
