/** The process that a failpoint ends: an executor is its parent, its `worker` the child that calls the tools. */
export type FailpointProcess = 'worker' | 'executor' | 'coordinator' | 'reconciler';

type Place = { readonly process: FailpointProcess; readonly between: string };

const worker = (between: string): Place => ({ process: 'worker', between });
const executor = (between: string): Place => ({ process: 'executor', between });
const coordinator = (between: string): Place => ({ process: 'coordinator', between });
const reconciler = (between: string): Place => ({ process: 'reconciler', between });

/** Every failpoint of the services that work on runs, with the process it is in and what it lies between. */
export const FAILPOINTS = {
  'executor.command.read': worker('commands were read, and none is claimed'),
  'executor.claim.before': worker('it was decided to claim, and the claim is not sent'),
  'executor.claim.after': worker('the claim is in the log, and whether it is the first is not known'),
  'executor.call.before': worker('the claim is the first, and the tool is not called'),
  'executor.effect.before': worker('the last check has passed, and the effect has not begun'),
  'executor.started.before': worker('the call lasts, and that is not in the journal'),
  'executor.started.after': worker('the call lasts, and that is in the journal'),
  'executor.call.after': worker('the tool has answered, and nothing is done about it'),
  'executor.outcome.before': worker('the outcome is known, and not sent to the journal'),
  'executor.outcome.after': worker('the outcome is in the journal, and the position has not moved'),
  'parent.heartbeat.before': executor('a heartbeat is due, and not sent'),
  'parent.heartbeat.after': executor('a heartbeat is in the log, and the worker does not know'),
  'parent.position.before': executor('commands are done, and their position is not committed'),
  'parent.position.after': executor('the position of commands is committed, and not noted'),
  'parent.session-open.before': executor('a worker is ready, and has no session'),
  'parent.session-ended.before': executor('the worker is gone, and its session has not ended'),
  'parent.session-ended.after': executor('the end of the session is in the log, and nothing follows from it'),
  'coordinator.history.read': coordinator('history was read while a lane is taken over, and not folded'),
  'coordinator.snapshot.read': coordinator('a snapshot was looked for, and no history after it is read'),
  'coordinator.snapshot.before': coordinator('a snapshot is to be written, and nothing of it is'),
  'coordinator.snapshot.after': coordinator('a snapshot is written, and the coordinator does not know'),
  'coordinator.acquired': coordinator('the lane is acquired, and no batch of the new epoch is sent'),
  'coordinator.request.read': coordinator('a request was read, and nothing is decided'),
  'coordinator.outcome.read': coordinator('an outcome was read, and nothing is decided'),
  'coordinator.verdict.read': coordinator('a verdict was read, and is not history'),
  'coordinator.append.before': coordinator('it is decided, and not sent to history'),
  'coordinator.append.after': coordinator('it is history, and the coordinator does not know'),
  'coordinator.publish.before': coordinator('it is history, and nothing of it is told'),
  'coordinator.publish.after': coordinator('it is told, and that is not noted'),
  'coordinator.close.before': coordinator('attempts are to be closed, and the closing is not sent'),
  'coordinator.close.after': coordinator('the closing is in the log, and what was first is not known'),
  'coordinator.look.before': coordinator('a session is lost, and its claims are not looked for'),
  'coordinator.look.after': coordinator('claims are read up to a look of its own, and nothing is concluded'),
  'coordinator.loss.before': coordinator('a loss is confirmed, and the lane does not know'),
  'coordinator.dead-letter.before': coordinator('a record cannot be read, and is not among the dead letters'),
  'coordinator.dead-letter.after': coordinator('it is among the dead letters, and the position has not moved'),
  'coordinator.forward.before': coordinator('a request belongs to another lane, and is not forwarded'),
  'coordinator.forward.after': coordinator('a request is forwarded, and the position has not moved'),
  'coordinator.heartbeat.before': coordinator('a heartbeat is due, and not sent'),
  'coordinator.heartbeat.after': coordinator('a heartbeat is in the log, and the coordinator goes on'),
  'reconciler.history.read': reconciler('history is read to its end, and no doubt of it is known'),
  'reconciler.ask.before': reconciler('a doubt is known, and the tool is not asked'),
  'reconciler.ask.after': reconciler('the tool has answered, and nothing is judged'),
  'reconciler.verdict.before': reconciler('it is judged, and the verdict is not sent'),
  'reconciler.verdict.after': reconciler('the verdict is in the log, and the reconciler does not know'),
} as const satisfies Readonly<Record<string, Place>>;

export type FailpointName = keyof typeof FAILPOINTS;

export const failpointNames = Object.keys(FAILPOINTS) as readonly FailpointName[];

/** Those of the gateway, which only reads: nothing that happens to it touches a run, so that chaos leaves it alone. */
export const GATEWAY_FAILPOINTS = {
  'gateway.write.before': 'rows are made of history, and none is written',
  'gateway.commit.before': 'rows and position are written, and not committed',
  'gateway.commit.after': 'rows and position are committed, and the gateway does not know',
  'gateway.anew.before': 'the database is behind what was folded, and folding has not begun again',
  'gateway.rebuild.before': 'all rows are to go, and they are there',
  'gateway.rebuild.after': 'all rows are gone, and nobody is told',
} as const;
export type GatewayFailpointName = keyof typeof GATEWAY_FAILPOINTS;
