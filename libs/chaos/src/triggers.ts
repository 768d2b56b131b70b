import type { FailpointName } from '@holdfast/service/failpoint';

/**
 * What brings a process to a failpoint:
 * `load` runs alone · `submit` a further run · `worker-death` a worker that is killed in its calls ·
 * `doubt` the same, unless a doubt comes up by itself · `cancel` runs that are cancelled before anybody claims their
 * calls · `hand-over-…` one of two that is asked to end · `garbage`, `stray` requests that are none, or on a wrong lane.
 */
export type Trigger =
  | 'load'
  | 'submit'
  | 'worker-death'
  | 'doubt'
  | 'cancel'
  | 'hand-over-coordinator'
  | 'hand-over-reconciler'
  | 'garbage'
  | 'stray';

const TRIGGERS: Partial<Readonly<Record<FailpointName, Trigger>>> = {
  'parent.session-open.before': 'worker-death',
  'parent.session-ended.before': 'worker-death',
  'parent.session-ended.after': 'worker-death',
  'coordinator.history.read': 'hand-over-coordinator',
  'coordinator.snapshot.read': 'hand-over-coordinator',
  'coordinator.acquired': 'hand-over-coordinator',
  'coordinator.request.read': 'submit',
  'coordinator.verdict.read': 'doubt',
  'coordinator.close.before': 'cancel',
  'coordinator.close.after': 'cancel',
  'coordinator.look.before': 'worker-death',
  'coordinator.look.after': 'worker-death',
  'coordinator.loss.before': 'worker-death',
  'coordinator.dead-letter.before': 'garbage',
  'coordinator.dead-letter.after': 'garbage',
  'coordinator.forward.before': 'stray',
  'coordinator.forward.after': 'stray',
  'reconciler.history.read': 'hand-over-reconciler',
  'reconciler.ask.before': 'doubt',
  'reconciler.ask.after': 'doubt',
  'reconciler.verdict.before': 'doubt',
  'reconciler.verdict.after': 'doubt',
};

export const triggerOf = (point: FailpointName): Trigger => TRIGGERS[point] ?? 'load';
