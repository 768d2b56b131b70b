import { setTimeout as pause } from 'node:timers/promises';
import { Asks } from '@holdfast/chaos';
import { eventually } from '@holdfast/dev';
import { laneOf, type HistoryRecord, type RunEventData } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import { SETTLE_MS } from '@holdfast/matrix';
import { createClient, followLanes, sha256, type Client, type LanesFollower } from '@holdfast/sdk';
import type { Conduct } from '../../e2e/support/conduct.js';
import { effect, namesOf, plan } from '../../e2e/support/plans.js';
import { Runs } from '../../e2e/support/runs.js';
import type { World } from '../../e2e/support/world.js';
import type { Result } from './scenario.js';
import { stillOf, type FaultStill, type Moment, type Span } from './stillness.js';

const LANES = 4;
const RUNS_PER_LANE = 3;
const STEPS = 5;
const CALL: Conduct = 'slow:60';
const END_MS = 120_000;

/** One tool of each policy, with what its third and fourth call meet besides the fault of the scenario. */
const TOOLS: Readonly<Record<string, readonly [Conduct, Conduct]>> = {
  observe: [CALL, CALL],
  draft: [CALL, CALL],
  pay: ['apply-drop', 'drop'],
  book: ['apply-drop', 'drop'],
  file: ['apply-drop', 'drop'],
  post: ['apply-drop', CALL],
};
const MAY_REPEAT: ReadonlySet<string> = new Set(['observe', 'draft']);

type Going = { readonly tool: string; readonly program: Plan; ended: RunEventData<'RunEnded'> | null };

type Loaded = { readonly world: World; readonly services: readonly string[] };

/**
 * Work that goes on by itself: on each lane runs of every policy one after the other, a new one when one has ended. A
 * person answers questions by what the ledger holds.
 */
export class Load {
  private readonly going = new Map<string, Going>();
  private readonly asks = new Asks();
  private readonly client: Client;
  private readonly runs: Runs;
  private readonly problems: string[] = [];
  private readonly follower: LanesFollower;
  private readonly slots: Promise<void>[] = [];
  private readonly recoveryMs: number[] = [];
  private readonly faults: (Span & { readonly fault: string })[] = [];
  private readonly written: Moment[] = [];
  private readonly pids: Map<string, number>;
  private ending = false;
  private abandoned = false;
  private count = 0;

  private constructor(
    private readonly world: World,
    private readonly services: readonly string[],
  ) {
    // Closed with it, which ends what waits for an answer.
    this.client = createClient({ log: world.log, namespace: world.namespace });
    this.runs = new Runs(this.client, () => `the services' logs are in ${world.folder}`);
    this.pids = new Map(services.map((name) => [name, world.member(name).pid]));
    this.follower = followLanes({
      log: world.log,
      topic: world.names.history,
      digest: sha256,
      onRecord: ({ folded, record, at }, lane) => {
        if (folded !== 'valid') return;
        this.written.push({ lane, at });
        this.take(record);
      },
      onDefect: (defect) => void this.problems.push(defect.message),
    });
  }

  /** Does `work`, which answers what it did, while runs go on; then lets them end, and counts. */
  static async during(
    { world, services }: Loaded,
    work: (load: Load) => Promise<readonly string[]>,
  ): Promise<Omit<Result, 'name'>> {
    const load = new Load(world, services);
    try {
      await load.begin();
      return await load.finish(await work(load));
    } finally {
      await load.abandon();
    }
  }

  /** Resolves when every lane has made an effect from now on, to how long that took. */
  async moving(): Promise<number> {
    const since = Date.now();
    const first = await eventually('every lane makes effects', () => this.firstOfAllLanes(since), END_MS);
    return first - since;
  }

  /** The fault is over: counts how long it takes until all goes on. */
  async recovered(): Promise<void> {
    this.recoveryMs.push(await this.moving());
  }

  /** A fault from its begin until all goes on after it: how long nothing went on is counted. */
  async struck(fault: string, work: () => Promise<void>): Promise<void> {
    const from = Date.now();
    await work();
    await this.recovered();
    this.faults.push({ fault, from, to: Date.now() });
  }

  /** A service that was started anew by the scenario. */
  restarted(name: string): void {
    this.pids.set(name, this.world.member(name).pid);
  }

  /** Something that should not be. */
  problem(what: string): void {
    this.problems.push(what);
  }

  /** For so long no effect may be made; answers how many were. */
  async still(ms: number): Promise<number> {
    const { ledger } = this.world;
    const before = ledger.entries().length;
    await pause(ms);
    const made = ledger.entries().length - before;
    if (made > 0) this.problem(`${made} effects in ${ms} ms in which none could be made`);
    return made;
  }

  private async begin(): Promise<void> {
    for (let lane = 0; lane < LANES; lane += 1) {
      this.follower.follow(lane);
      for (let slot = 0; slot < RUNS_PER_LANE; slot += 1) this.slots.push(this.keepGoing(lane));
    }
    await this.moving();
  }

  private async finish(faults: readonly string[]): Promise<Omit<Result, 'name'>> {
    this.ending = true;
    const over = Promise.all(this.slots).then(() => true);
    const late = pause(END_MS, false, { ref: false });
    if (!(await Promise.race([over, late]))) this.problems.push(`not ended: ${this.open().join(', ')}`);
    await this.servicesAreThere();
    // Calls that nobody listens to any more may still land.
    await pause(2 * SETTLE_MS);
    return { faults, ...this.counted() };
  }

  private firstOfAllLanes(since: number): number | null {
    const firsts = new Map<number, number>();
    for (const { name, at } of this.world.ledger.entries()) {
      const lane = laneOfEffect(name);
      if (at > since && !firsts.has(lane)) firsts.set(lane, at);
    }
    return firsts.size < LANES ? null : Math.max(...firsts.values());
  }

  private async keepGoing(lane: number): Promise<void> {
    const tools = Object.keys(TOOLS);
    while (!this.ending && !this.abandoned) {
      const tool = tools[this.count++ % tools.length] ?? 'file';
      const runId = await this.runs.id(tool, lane);
      const going: Going = { tool, program: programOf(tool), ended: null };
      this.going.set(runId, going);
      this.asks.begin({
        run: going,
        request: () => this.runs.submit(runId, going.program),
        refused: () => false,
      });
      const isOver = (): boolean => going.ended !== null || this.abandoned;
      await eventually(`run ${runId} ends`, isOver, END_MS * 2).catch(() => undefined);
    }
  }

  private take({ event, subject, lane }: HistoryRecord): void {
    const runId = subject ?? '';
    const going = this.going.get(runId);
    if (going === undefined) return;
    if (event.type === 'RunEnded') going.ended = event.data;
    if (event.type === 'ConflictFound') this.problems.push(`conflict in ${runId}: ${JSON.stringify(event.data)}`);
    if (event.type === 'EscalationOpened') this.answer(runId, lane.seq, event.data);
  }

  /** As a person who looks into the ledger first. A question that has been settled meanwhile needs no answer. */
  private answer(runId: string, escalation: number, asked: RunEventData<'EscalationOpened'>): void {
    this.asks.begin({
      run: this.going.get(runId) ?? { ended: null },
      request: () => this.runs.answer(runId, { escalation, ...this.choiceFor(`${runId}/${asked.stepId}`, asked.kind) }),
      refused: ({ reply }) => reply.code !== 'too_early',
    });
  }

  private choiceFor(name: string, kind: RunEventData<'EscalationOpened'>['kind']) {
    if (kind !== 'doubt') return { choice: kind === 'conflict' ? ('acknowledge' as const) : ('retry' as const) };
    const [entry] = this.world.ledger.entries(name);
    if (entry === undefined) return { choice: 'absent' as const, lookedAt: Date.now() };
    return { choice: 'applied' as const, result: { receipt: entry.receipt } };
  }

  /** Ends all that waits, and resolves when nothing of it is under way. */
  private async abandon(): Promise<void> {
    this.abandoned = true;
    this.asks.stop();
    await this.client.close();
    await Promise.allSettled(this.slots);
    await this.asks.settled();
    await this.follower.close();
  }

  private open(): readonly string[] {
    return [...this.going].filter(([, { ended }]) => ended === null).map(([runId]) => runId);
  }

  /** Nobody may need to be started again after a fault. */
  private async servicesAreThere(): Promise<void> {
    for (const name of this.services) {
      const member = this.world.member(name);
      if (!member.running || member.pid !== this.pids.get(name)) this.problems.push(`${name} has ended`);
      else await member.ready().catch((error: Error) => this.problems.push(error.message));
    }
  }

  private counted(): Omit<Result, 'name' | 'faults'> {
    const made = new Map<string, number>();
    for (const { name } of this.world.ledger.entries()) made.set(name, (made.get(name) ?? 0) + 1);
    const ends: Record<string, number> = {};
    const [duplicates, lost]: [string[], string[]] = [[], []];
    let effects = 0;
    for (const [runId, { tool, program, ended }] of this.going) {
      const reason = ended?.reason ?? 'open';
      ends[reason] = (ends[reason] ?? 0) + 1;
      if (ended !== null && reason !== 'succeeded') this.problems.push(`${runId}: ${reason}, ${ended.detail}`);
      for (const name of namesOf(runId, program)) {
        const times = made.get(name) ?? 0;
        effects += times;
        if (times > 1 && !MAY_REPEAT.has(tool)) duplicates.push(name);
        if (times === 0 && reason === 'succeeded') lost.push(name);
      }
    }
    const problems = [
      ...this.problems,
      ...duplicates.map((name) => `made more than once: ${name}`),
      ...lost.map((name) => `never made: ${name}`),
    ];
    const counts = { duplicates: duplicates.length, lost: lost.length };
    const { recoveryMs } = this;
    return { runs: this.going.size, effects, ...counts, ends, recoveryMs, still: this.stillness(), problems };
  }

  private stillness(): readonly FaultStill[] {
    const made = this.world.ledger.entries().map(({ name, at }) => ({ lane: laneOfEffect(name), at }));
    return this.faults.map(({ fault, ...span }) => ({
      fault,
      effects: stillOf(made, LANES, span),
      history: stillOf(this.written, LANES, span),
    }));
  }
}

/** Effects are named `run/step`. */
const laneOfEffect = (name: string): number => laneOf(name.split('/')[0] ?? '', LANES);

const programOf = (tool: string): Plan => {
  const [third, fourth] = TOOLS[tool] ?? [CALL, CALL];
  const first: readonly Conduct[] = [CALL, CALL, third, fourth];
  return plan(
    Array.from({ length: STEPS }, (_, index) =>
      effect(tool, `s${index}`, {
        conduct: [first[index] ?? CALL, CALL],
        timeoutMs: 1_200,
        deathsMax: 50,
        retry: { triesMax: 50, backoffMs: 50, backoffMaxMs: 200 },
        ...(index === 0 ? {} : { after: [`s${index - 1}`] }),
      }),
    ),
  );
};
