import type { Reaction } from '../../apps/coordinator/src/run/run.react.js';
import { ManualClock } from './clock.js';
import { FakeHistory } from './fake-history.js';
import { asked, LaneHarness } from './lane-harness.js';
import { heard, request } from './messages.js';
import { forEach, planOf, step } from './plans.js';

type Asking = Extract<Reaction, { kind: 'request' }>;
type Place = 'tenant' | 'runs';

/**
 * Two lanes, one with the tenant and one with its runs, and what they ask each other on its way in between. Either of
 * them can be taken over at any moment; what its owner had not told for certain is told again.
 */
export class Wired {
  readonly clock = new ManualClock();
  readonly histories = { tenant: new FakeHistory(), runs: new FakeHistory() };
  readonly lanes: Record<Place, LaneHarness>;
  readonly way: { readonly to: Place; readonly ask: Asking }[] = [];
  readonly told: { readonly to: Place; readonly ask: Asking }[] = [];
  #owners = 0;

  /** Without proofs each step is cheap; `proven` compares the live states with the fold of all history once. */
  constructor(readonly proves = true) {
    this.lanes = { tenant: this.#open('tenant'), runs: this.#open('runs') };
  }

  set(budget: object, requestId = 'set'): this {
    const data = { requestId, runId: 'tenant/acme', tenant: 'acme', budget };
    return this.#do('tenant', (lane) => lane.arrive(asked(request('SetTenantBudget', data))));
  }

  submit(runId: string, items = 4, more: object = {}): this {
    const plan = planOf(
      forEach(
        'f',
        Array.from({ length: items }, () => 1),
        step('a', 'verifiable'),
      ),
    );
    return this.#do('runs', (lane) => lane.submit(plan, { runId, tenant: 'acme', ...more }));
  }

  /** Whatever is open of a run succeeds, until nothing more is scheduled or asked for. */
  finish(runId: string): this {
    for (;;) {
      this.deliver();
      const run = this.lanes.runs.run(runId);
      const open = run.status === 'ended' ? undefined : run.steps.find(({ attempts }) => attempts.length > 0);
      const attempt = open?.attempts[0]?.attempt;
      if (open === undefined || attempt === undefined) return this;
      const who = { runId, step: open.stepId, attempt };
      this.#do('runs', (lane) => lane.claims(`${runId}/${open.stepId}/${attempt}`).say('AttemptSucceeded', who));
    }
  }

  on(how: (lane: LaneHarness) => unknown): this {
    return this.#do('runs', how);
  }

  tick(ms: number): this {
    this.clock.forward(ms);
    this.#do('tenant', (lane) => lane.tick());
    return this.#do('runs', (lane) => lane.tick());
  }

  /** Everything that is on its way arrives, in order. */
  deliver(): this {
    while (this.way.length > 0) this.next();
    return this;
  }

  next(at = 0): this {
    const [message] = this.way.splice(at, 1);
    if (message !== undefined) this.again(message);
    return this;
  }

  again({ to, ask }: Wired['way'][number]): this {
    const time = new Date(this.clock.now).toISOString();
    const message = { ...heard(ask.request), time };
    return this.#do(to, (lane) => lane.arrive(asked(message as Parameters<typeof asked>[0], this.clock.now)));
  }

  /** Somebody else takes the lane over and tells again what its last owner may not have told. */
  takeOver(place: Place): this {
    this.lanes[place].unseat();
    this.lanes[place] = this.#open(place);
    return this.#do(place, () => undefined);
  }

  proven(): this {
    for (const lane of Object.values(this.lanes)) lane.proves = true;
    return this.tick(0);
  }

  get tenant() {
    const known = this.lanes.tenant.machine.lane.shared.tenants['acme'];
    if (known === undefined) throw new Error('the tenant is not known');
    return known;
  }

  end(runId: string): string | null {
    const end = this.lanes.runs
      .events()
      .findLast(({ event, subject }) => event.type === 'RunEnded' && subject === runId)?.event;
    return end?.type === 'RunEnded' ? `${end.data.reason}: ${end.data.detail}` : null;
  }

  #open(place: Place): LaneHarness {
    this.#owners += 1;
    const lane = new LaneHarness({ owner: `C${this.#owners}`, history: this.histories[place], clock: this.clock });
    // Whoever takes over does not know what was told: all of it is told again.
    lane.reacts = false;
    lane.proves = this.proves;
    return lane.seat();
  }

  #do(place: Place, how: (lane: LaneHarness) => unknown): this {
    how(this.lanes[place]);
    const asks = this.lanes[place].reactions.filter((told) => told.kind === 'request');
    for (const ask of asks.slice(this.#seen.get(this.lanes[place]) ?? 0)) {
      const message = { to: ask.home.startsWith('tenant/') ? 'tenant' : 'runs', ask } as const;
      this.way.push(message);
      this.told.push(message);
    }
    this.#seen.set(this.lanes[place], asks.length);
    return this;
  }

  readonly #seen = new Map<LaneHarness, number>();
}
