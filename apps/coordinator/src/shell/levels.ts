import { isRecovering, type LiveRun } from '@holdfast/events';
import type { Levels } from '@holdfast/telemetry';
import type { LaneRunner } from './lane-runner.js';

type Told = {
  readonly config: { readonly lanes: number; readonly namespace: string };
  readonly now: number;
};

/** How the lanes of a coordinator stand at this moment. */
export const tellLanes = (levels: Levels, runners: ReadonlyMap<number, LaneRunner>, told: Told): void => {
  const { lanes } = told.config;
  levels.set('holdfast_lanes', {}, lanes);
  const outstanding = new Map<string, number>();
  for (let lane = 0; lane < lanes; lane += 1) {
    const runner = runners.get(lane);
    levels.set('holdfast_lane_owned', { lane }, Number(runner?.leading ?? false));
    levels.set('holdfast_lane_stopped', { lane }, Number(typeof runner?.stopped === 'string'));
    if (runner?.leading !== true) continue;
    tellLane(levels, runner, told);
    for (const [queue, count] of runner.machine.outstanding)
      outstanding.set(queue, (outstanding.get(queue) ?? 0) + count);
  }
  for (const [queue, count] of outstanding) levels.set('holdfast_attempts_outstanding', { queue }, count);
};

const tellLane = (levels: Levels, { machine, intake, setting }: LaneRunner, { config, now }: Told): void => {
  const { lane } = setting;
  levels.set('holdfast_lane_epoch', { lane }, machine.lane.epoch);
  for (const judged of ['valid', 'void', 'repeated'] as const)
    levels.set('holdfast_lane_records_total', { lane, judged }, machine.lane.counts[judged]);
  levels.set('holdfast_lane_inbox_records', { lane }, machine.inbox.length);
  levels.set('holdfast_lane_broken_runs', { lane }, machine.broken.size);
  for (const [topic, lag] of intake.lags) {
    const { records, seconds } = lag.at(machine.lane.positions[topic] ?? 0, now);
    const short = topic.slice(config.namespace.length + 1);
    levels.set('holdfast_lane_input_lag_records', { lane, topic: short }, records);
    levels.set('holdfast_lane_input_lag_seconds', { lane, topic: short }, seconds);
  }
  tellRuns(levels, machine, lane);
};

const STATES = ['running', 'recovering', 'waiting', 'paused', 'cancelling', 'closing'] as const;
type State = (typeof STATES)[number];

const tellRuns = (levels: Levels, { live, lane: { runs } }: LaneRunner['machine'], lane: number): void => {
  const counts: Record<State, number> = { running: 0, recovering: 0, waiting: 0, paused: 0, cancelling: 0, closing: 0 };
  let doubts = 0;
  let questions = 0;
  // Those that are over are remembered for long, and there is nothing to tell of them.
  for (const runId of live.keys()) {
    const run = runs.get(runId)?.run;
    if (run === undefined || run.status === 'ended') continue;
    counts[stateOf(run)] += 1;
    for (const step of run.steps) if (step.doubt !== null) doubts += 1;
    for (const _ in run.escalations) questions += 1;
  }
  for (const state of STATES) levels.set('holdfast_runs', { lane, state }, counts[state]);
  levels.set('holdfast_doubts', { lane }, doubts);
  levels.set('holdfast_questions', { lane }, questions);
};

const stateOf = (run: LiveRun): State => {
  if (run.status !== 'running') return run.status;
  if (run.paused !== null) return 'paused';
  if (isRecovering(run)) return 'recovering';
  return run.waiting === null ? 'running' : 'waiting';
};
