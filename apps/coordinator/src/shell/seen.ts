import type { RunState } from '@holdfast/events';
import type { ServiceLogger } from '@holdfast/service';
import {
  countFacts,
  factLines,
  factSpans,
  type DoubtsSince,
  type Metrics,
  type Traces,
  type Written,
} from '@holdfast/telemetry';
import type { Flight, LaneInput, LaneMachine, LaneOutput } from '../lane/lane.types.js';

/** Who is told of what becomes history; nobody where absent. */
export type Watching = { readonly metrics?: Metrics | undefined; readonly traces?: Traces | undefined };

/** More doubts than that at once are told with a later beginning. */
const DOUBTS_MAX = 10_000;

/** Sees what becomes history through this owner, and tells those who watch. Takes no part in it. */
export class Seen {
  private readonly since: DoubtsSince = new Map();
  private flight: Flight | null = null;
  private sentAt = 0;
  private seatedAt: number | null = null;

  constructor(
    private readonly machine: LaneMachine,
    private readonly to: { readonly metrics: Metrics; readonly traces: Traces; readonly logger: ServiceLogger },
  ) {}

  /** Carries out a step of the machine and looks at it from before and after. */
  around(input: LaneInput, step: () => readonly LaneOutput[]): readonly LaneOutput[] {
    const { machine } = this;
    const { flight } = machine;
    const isNews = input.type === 'HistoryAppended' || input.type === 'HistoryRead';
    const wasLeading = machine.phase === 'leading';
    const before = isNews && flight !== null ? this.runsOf(flight) : null;
    if (input.type === 'SeatGranted' && machine.phase === 'unseated') this.seatedAt = performance.now();
    const outputs = step();
    if (machine.phase === 'leading') this.led();
    if (flight !== null && before !== null && machine.flight !== flight && isHistory(machine, flight))
      this.recorded(flight, before);
    if (wasLeading && isNews && machine.phase === 'acquiring') this.to.metrics.add('holdfast_lanes_lost_total', {});
    if (machine.flight !== this.flight) {
      this.flight = machine.flight;
      this.sentAt = performance.now();
    }
    return outputs;
  }

  /** Only the first time after the seat was given: a lane that was lost for a moment is taken back under it. */
  private led(): void {
    if (this.seatedAt === null) return;
    this.to.metrics.observe('holdfast_lane_takeover_seconds', {}, (performance.now() - this.seatedAt) / 1_000);
    this.seatedAt = null;
  }

  private runsOf({ runs }: Flight): ReadonlyMap<string, RunState | undefined> {
    const { lane } = this.machine;
    return new Map([...runs.keys()].map((runId) => [runId, lane.runs.get(runId)?.run]));
  }

  private recorded(flight: Flight, before: ReadonlyMap<string, RunState | undefined>): void {
    const { since } = this;
    const { metrics, traces } = this.to;
    if (flight.kind === 'acquire') metrics.add('holdfast_lanes_taken_total', {});
    metrics.observe('holdfast_history_batch_records', {}, flight.prepared.length);
    const bytes = flight.prepared.reduce((sum, { value }) => sum + value.length, 0);
    metrics.observe('holdfast_history_batch_bytes', {}, bytes);
    metrics.observe('holdfast_history_commit_seconds', {}, (performance.now() - this.sentAt) / 1_000);
    const records = flight.prepared.map(({ record }) => record);
    const written = { records, before: (runId: string) => before.get(runId) };
    countFacts(metrics, written);
    this.say(written);
    if (!traces.enabled) return;
    for (const span of factSpans(written, since)) traces.tell(span);
    if (since.size > DOUBTS_MAX) since.clear();
  }

  private say(written: Written): void {
    const { logger } = this.to;
    // A silent logger of a test has no levels.
    const everything = (logger as Partial<ServiceLogger>).isLevelEnabled?.('debug') ?? false;
    for (const { level, about, fields, message } of factLines(written, this.machine.setting.lane, everything))
      logger[level]({ ...about, ...fields }, message);
  }
}

const isHistory = ({ lane, setting }: LaneMachine, { epoch, first, prepared }: Flight): boolean =>
  lane.epoch === epoch && lane.owner === setting.owner && lane.seq >= first + prepared.length - 1;
