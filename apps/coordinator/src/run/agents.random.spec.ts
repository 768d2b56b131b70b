import { deepStrictEqual } from 'node:assert';
import type { ChildRun, Escalation, LiveRun } from '@holdfast/events';
import type { Json, ModelReply } from '@holdfast/programs';
import { agentOf, AgentPlay, answers, calls } from '../../../../test/support/agents.js';
import { Dice } from '../../../../test/support/dice.js';
import { asked } from '../../../../test/support/lane-harness.js';
import { heard } from '../../../../test/support/messages.js';
import { catalogueOf, tool, undoableTools } from '../../../../test/support/tools.js';

const HISTORIES = 40;
const TOOLS = ['pure', 'repeatable', 'keyed', 'verifiable', 'unprotected', 'reserve'] as const;
const CHILD = { kind: 'plan', steps: [{ id: 'x', tool: 'pure@1' }] };

const programOf = (dice: Dice): unknown => {
  const onFailure = () => dice.pick(['fail', 'continue'] as const);
  const { kind: _, ...agent } = agentOf([...TOOLS], {
    onDoubt: dice.pick(['wait', 'tell'] as const) ?? 'wait',
    turnsMax: 6,
    repairsMax: 1,
    context: { policy: dice.pick(['window', 'summarise'] as const) ?? 'window', charactersMax: 2_000, keepTurns: 1 },
  });
  const parameters = { type: 'object' };
  agent.tools.push({
    name: 'begin',
    description: 'Begins a run.',
    parameters,
    run: { program: CHILD, ...(dice.roll(2) === 0 ? { waitMs: 3_000 } : {}), detached: dice.roll(3) === 0 },
  });
  agent.tools.push({
    name: 'ask',
    ask: { withinMs: 20_000, onSilence: dice.pick(['end', 'fail'] as const) ?? 'fail' },
  });
  const node = { id: 'a', agent, onFailure: onFailure() };
  const after = { id: 'b', tool: 'verifiable@1', args: { text: { $from: 'steps.a' } } };
  const each = { id: 'e', forEach: [1, 2, 3], window: 2, onFailure: onFailure(), steps: [node, after] };
  const nested = { id: 'n', forEach: [1, 2], window: 1, onFailure: onFailure(), steps: [each] };
  const steps = dice.pick([[node, after], [each], [nested, { id: 'z', tool: 'unprotected@1' }]]);
  const hold = dice.pick(['run', 'step', undefined] as const);
  return {
    kind: 'plan',
    steps,
    ...(hold === undefined ? {} : { hold }),
    ...(dice.roll(2) === 0
      ? { approvals: [{ tool: 'unprotected', withinMs: 10_000, onSilence: dice.pick(['end', 'fail']) }] }
      : {}),
    ...(dice.roll(4) === 0 ? { loops: { repeatsMax: 2, cycleMax: 2, onLoop: dice.pick(['end', 'ask', 'warn']) } } : {}),
    ...(dice.roll(3) === 0 ? { budget: { turns: 6, onExhausted: dice.pick(['end', 'ask']) } } : {}),
  };
};

const replyOf = (dice: Dice): ModelReply => {
  const said = dice.roll(12);
  if (said === 0) return answers('It is done.');
  if (said === 1)
    return answers('', { finish: dice.pick(['length', 'refusal', 'filtered', 'other'] as const) ?? 'other' });
  const names = [...TOOLS, 'begin', 'ask', 'nobody'];
  const wanted = Array.from({ length: 1 + dice.roll(3) }, (): [string, Json] => {
    const name = dice.pick(names) ?? 'pure';
    return [name, name === 'ask' ? { question: 'Well?' } : dice.roll(3) === 0 ? { n: dice.roll(2) } : {}];
  });
  return calls(...wanted);
};

/** A run with agents to which anything happens, in any order. */
class Anything {
  readonly play = new AgentPlay({ model: () => 'open', call: () => 'open' });
  readonly dice: Dice;
  private sessions = 1;

  constructor(seed: number) {
    this.dice = new Dice(seed);
    const { lane } = this.play;
    lane.catalogue = new Map([
      ...lane.catalogue,
      ...undoableTools(),
      ...catalogueOf(tool('keyed', { name: 'release', keyTtlMs: 2_000_000_000 })),
    ]);
    const tools = new Set(lane.catalogue.keys());
    for (const { partitions } of Object.values(lane.queues)) Object.assign(partitions[0] as object, { tools });
    lane.submit(programOf(this.dice), this.dice.roll(2) === 0 ? { compensate: 'on_cancel' } : {});
    expect(lane.replies.at(-1)).toMatch(/accepted/);
  }

  get live(): LiveRun | undefined {
    const run = this.play.lane.run();
    return run.status === 'ended' ? undefined : run;
  }

  /** What is kept of a run for a snapshot is plain data. */
  private provesPlain(): void {
    const run = this.play.lane.run();
    deepStrictEqual(JSON.parse(JSON.stringify(run)), run);
  }

  happens(): void {
    if (this.dice.roll(20) === 0) this.provesPlain();
    const { dice, play } = this;
    const what = dice.roll(40);
    if (what < 22) return this.word(dice.roll(10) === 0);
    if (what < 25) return this.verdict();
    if (what < 29) return this.person();
    if (what < 32) return this.child();
    if (what < 35) return void play.lane.tick(dice.pick([0, 500, 1_000, 4_000, 20_000]));
    if (what < 37) return void play.lane.dies(`S${dice.roll(2) === 0 ? this.sessions++ : 1}`);
    if (what < 38) return void play.lane.ask(dice.pick(['PauseRun', 'ResumeRun', 'ResumeRun'] as const) ?? 'ResumeRun');
    if (what < 39) return this.steer();
    if (dice.roll(8) === 0) play.lane.cancel();
  }

  word(isLate: boolean, wanted?: 'succeeds'): void {
    const { dice, play } = this;
    const all = play.orders;
    const open = new Set(
      this.live?.steps.flatMap(({ stepId, attempts }) => attempts.map(({ attempt }) => `run-1/${stepId}/${attempt}`)),
    );
    const order = dice.pick(isLate ? all : all.filter(({ attemptId }) => open.has(attemptId)));
    if (order === undefined) return;
    const attempt = Number(order.attemptId.slice(order.attemptId.lastIndexOf('/') + 1));
    const session = `S${this.sessions}`;
    const who = { runId: order.runId, step: order.stepId, attempt, session };
    if (dice.roll(6) === 0 && wanted === undefined) return void play.lane.closed(order.attemptId);
    play.lane.claims(order.attemptId, session);
    const isModel = order.tool.startsWith('model');
    const result = isModel ? (wanted ? answers('done') : replyOf(dice)) : 'done '.repeat(dice.roll(300));
    const how = wanted === undefined ? dice.roll(10) : 9;
    if (how === 0) play.lane.say('AttemptUnknown', who);
    else if (how === 1)
      play.lane.say('AttemptFailed', who, { retry: dice.pick(['never', 'later', 'now'] as const) ?? 'never' });
    else if (how === 2) play.lane.say('AttemptSkipped', who);
    else if (how === 3)
      play.lane.say('AttemptAborted', who, { effect: dice.pick(['none', 'unknown'] as const) ?? 'none' });
    else if (how > 4) play.lane.say('AttemptSucceeded', who, { result: result as never });
  }

  verdict(wanted?: 'absent'): void {
    const { dice, play } = this;
    const step = dice.pick(this.live?.steps.filter(({ doubt }) => doubt !== null) ?? []);
    if (step?.doubt == null) return;
    const found = wanted ?? dice.pick(['applied', 'absent', 'unknown'] as const) ?? 'unknown';
    const { attempt, seq, probes } = step.doubt;
    const { stepId } = step;
    play.lane.judge(seq, found, {
      attemptId: `run-1/${stepId}/${attempt}`,
      stepId,
      attempt,
      askedAt: play.lane.clock.now,
      probe: probes + 1,
    });
  }

  person(wanted?: Escalation): void {
    const { dice, play } = this;
    const question = wanted ?? dice.pick(Object.values(this.live?.escalations ?? {}));
    if (question === undefined) return;
    const choice = dice.pick(question.choices) ?? 'answer';
    play.lane.decides(question.seq, choice, choice === 'answer' ? { value: 'yes' } : {});
  }

  child(wanted?: ChildRun): void {
    const { dice, play } = this;
    const child = wanted ?? dice.pick(this.live?.children ?? []);
    if (child === undefined) return;
    const { childRunId, ticket } = child;
    const reason = dice.pick(['succeeded', 'failed', 'cancelled', 'refused']) ?? 'failed';
    const ended = {
      status: 'ended',
      reason,
      detail: 'so it is',
      ...(reason === 'succeeded' ? { output: 'out' } : {}),
    } as const;
    const report = wanted === undefined && dice.roll(2) === 0 ? ({ status: 'accepted' } as const) : ended;
    const data = { requestId: `report ${dice.roll(1e9)}`, runId: 'run-1', ticket, childRunId, report };
    play.lane.arrive(asked(heard({ type: 'ReportChild', data } as never)));
  }

  steer(): void {
    const { dice, play } = this;
    const what = dice.roll(3);
    if (what === 0) play.lane.ask('SteerRun', { windows: { e: 1 + dice.roll(3) } });
    else if (what === 1) play.lane.ask('SteerRun', { limits: { turns: 4 + dice.roll(30) } });
    else play.lane.ask('SteerRun', { deadlineMs: 600_000 });
  }

  /** Nothing goes wrong any more: the run comes to its end. */
  calms(): void {
    const { play } = this;
    play.lane.ask('ResumeRun');
    for (let round = 0; round < 400 && this.live?.end === null; round += 1) {
      const live: LiveRun = this.live;
      for (const _ of live.steps) this.word(false, 'succeeds');
      for (const id of play.lane.closes.splice(0)) play.lane.closed(id);
      for (const _ of live.steps) this.verdict('absent');
      for (const question of Object.values(live.escalations)) this.person(question);
      for (const child of live.children) this.child(child);
      play.lane.tick(1_000);
    }
  }
}

describe('a run with agents, whatever happens in whatever order', () => {
  it('never stands still, stops no lane, and comes to its end', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const world = new Anything(seed);
      try {
        for (let at = 0; at < 120; at += 1) world.happens();
        world.calms();
      } catch (error) {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
      }
      const { machine, stopped } = world.play.lane;
      const { end } = world.play;
      expect({ seed, broken: [...machine.broken.values()], stopped }).toEqual({ seed, broken: [], stopped: null });
      expect({ seed, ended: end !== undefined }).toEqual({ seed, ended: true });
      for (const { event } of world.play.lane.events()) seen.add(event.type);
      for (const { did } of world.play.turns) seen.add(did);
    }
    // Nothing is shown where nothing happens.
    const wanted = [
      'called',
      'answered',
      'repaired',
      'failed',
      'DoubtSettled',
      'ConflictFound',
      'ChildEnded',
      'ChildLeft',
    ];
    for (const name of [...wanted, 'EscalationExpired', 'RunSteered', 'CancelRequested', 'CompensationStarted']) {
      expect([...seen]).toContain(name);
    }
  });
});
