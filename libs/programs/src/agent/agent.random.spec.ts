import * as fc from 'fast-check';
import { unpaired } from '../../../../test/support/agents.js';
import { begin, doubted, failed, opened, succeeded, turned } from '../advance.js';
import type { Json, Plan } from '../plan.js';
import type { Progress } from '../progress.js';
import { argsOf, ready } from '../ready.js';
import { outcome } from '../outcome.js';
import { agentsReplied } from './agents.js';
import { judgeReply } from './judge.js';
import type { ModelReply, ModelRequest } from './model.js';

const parameters = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
const planOf = (onDoubt: 'wait' | 'tell', policy: 'window' | 'summarise', isEach: boolean): Plan => {
  const agent = {
    id: 'a',
    agent: {
      instructions: 'work',
      task: 'do it',
      model: 'model@1',
      tools: ['x', 'y'].map((name) => ({ tool: `${name}@1`, parameters })),
      turnsMax: 60,
      repairsMax: 20,
      context: { policy, charactersMax: 2_000, keepTurns: 1 },
      onDoubt,
    },
  };
  return {
    kind: 'plan',
    steps: isEach ? [{ id: 'e', forEach: [1, 2], steps: [agent], onFailure: 'continue' }] : [agent],
  };
};

const call = fc.record({
  id: fc.constantFrom('call', 'c1', ''),
  name: fc.constantFrom('x', 'x', 'y', 'z'),
  arguments: fc.constantFrom('{}', '{"n":1}', '{"n":"1"}', '{"n":', ''),
});
const reply: fc.Arbitrary<ModelReply> = fc.record({
  text: fc.constantFrom('', 'said', 'long '.repeat(200)),
  calls: fc.oneof(
    { weight: 9, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(call, { maxLength: 0 }) },
  ),
  finish: fc.constantFrom('answer' as const, 'calls' as const, 'length' as const),
  usage: fc.constant({ tokensIn: 10, tokensOut: 1 }),
});
const happens = fc.record({
  pick: fc.nat(),
  what: fc.constantFrom(
    'open',
    'open',
    'open',
    'open',
    'succeed',
    'succeed',
    'succeed',
    'succeed',
    'doubt',
    'doubt',
    'fail',
  ),
  reply,
  result: fc.constantFrom<Json>('r', { n: 1 }, 'long '.repeat(300)),
});
type Happens = typeof happens extends fc.Arbitrary<infer T> ? T : never;

/** A run of a plan as its steps are opened and ended in any order; every open step keeps its arguments. */
class Played {
  progress: Progress;
  readonly open = new Map<string, Json>();
  readonly requests: ModelRequest[] = [];

  constructor(readonly plan: Plan) {
    this.progress = begin(plan, {});
  }

  take({ pick, what, reply: said, result }: Happens): void {
    const { plan } = this;
    if (what === 'open') {
      const steps = ready(plan, {}, this.progress, 10);
      const step = steps[pick % Math.max(1, steps.length)];
      if (step === undefined) return;
      this.progress = opened(plan, {}, this.progress, step.stepId);
      this.open.set(step.stepId, step.args);
      if (isThought(step.stepId)) this.requests.push(step.args as unknown as ModelRequest);
      return;
    }
    const stepId = [...this.open.keys()][pick % Math.max(1, this.open.size)];
    if (stepId === undefined) return;
    this.progress = this.after(stepId, what, isThought(stepId) ? (said as unknown as Json) : result);
    if (what !== 'doubt') this.open.delete(stepId);
    this.judge();
  }

  private after(stepId: string, what: Happens['what'], result: Json): Progress {
    const { plan, progress } = this;
    if (what === 'succeed') return succeeded(plan, {}, progress, stepId, result);
    if (what === 'fail') return failed(plan, {}, progress, stepId, 'it failed');
    return isThought(stepId) ? progress : doubted(plan, {}, progress, stepId);
  }

  private judge(): void {
    for (let next = this.replied(); next !== undefined; next = this.replied()) {
      const decision = judgeReply(next.agent, next.progress, next.reply);
      this.progress = turned(this.plan, {}, this.progress, next.path, decision);
    }
  }

  private replied() {
    return agentsReplied(this.plan, {}, this.progress)[0];
  }
}

const isThought = (stepId: string): boolean => /\.(model|summary)$/.test(stepId);

describe('an agent, whatever happens in whatever order', () => {
  it('asks its model with whole pairs, and each open step keeps its arguments until it is done', () => {
    const plans = fc.record({
      onDoubt: fc.constantFrom('wait' as const, 'tell' as const),
      policy: fc.constantFrom('window' as const, 'summarise' as const),
      isEach: fc.boolean(),
    });
    let [asked, told] = [0, 0];
    fc.assert(
      fc.property(plans, fc.array(happens, { minLength: 60, maxLength: 200 }), ({ onDoubt, policy, isEach }, all) => {
        const played = new Played(planOf(onDoubt, policy, isEach));
        for (const one of all) {
          played.take(one);
          if (outcome(played.plan, {}, played.progress).status === 'failed') break;
          for (const [stepId, args] of played.open) {
            expect(argsOf(played.plan, {}, played.progress, stepId)).toEqual({ args });
          }
        }
        for (const request of played.requests) expect(unpaired(request)).toEqual([]);
        asked += played.requests.length;
        told += JSON.stringify(played.requests).includes('The outcome of this call is not known') ? 1 : 0;
      }),
      { numRuns: 300, seed: 8 },
    );
    // Nothing is shown where nothing happens.
    expect(asked).toBeGreaterThan(1_000);
    expect(told).toBeGreaterThan(10);
  });
});
