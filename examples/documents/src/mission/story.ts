import { unreachable, type RunEventData } from '@holdfast/events';
import pc from 'picocolors';
import { missionStep } from '../plan.js';
import type { Victim } from './kill-schedule.js';
import type { Fact } from './tally.js';

/** Events as sentences for someone who sees them for the first time. Null: not worth a line. */
export const tell = ({ event }: Fact, documents: readonly string[], isCancelled = false): string | null => {
  const name = (stepId: string): string => {
    const step = missionStep(stepId);
    const document = step === undefined ? undefined : documents[step.index];
    return step === undefined || document === undefined ? stepId : `${step.work} ${pc.bold(document)}`;
  };
  switch (event.type) {
    case 'RunAccepted':
      return 'The run is in the log: from here on it survives anything.';
    case 'DoubtOpened':
      return `${pc.yellow('? in doubt')}  ${name(event.data.stepId)}: ${CAUSES[event.data.cause]}`;
    case 'ProbeRecorded':
      return `${pc.yellow('? asked')}     ${name(event.data.stepId)}: ${event.data.evidence.summary}`;
    case 'DoubtSettled':
      return settled(event.data, name(event.data.stepId), isCancelled);
    case 'ConflictFound':
      return pc.red(`! conflict in ${name(event.data.stepId)}: ${event.data.evidence.summary}`);
    case 'EscalationOpened':
      return pc.red(`! a person is asked about ${name(event.data.stepId)}: ${event.data.question}`);
    case 'StepFailed':
      return event.data.final ? pc.red(`! ${name(event.data.stepId)} failed: ${event.data.failure.message}`) : null;
    case 'CancelRequested':
      return 'The cancel is in the log: nothing is scheduled any more, and what nobody has begun is closed for good.';
    case 'RunWaiting':
      return `The run waits for ${event.data.waitingFor}.`;
    case 'RunEnded':
      return `The run has ended: ${event.data.reason}${event.data.detail === '' ? '' : ` (${event.data.detail})`}.`;
    case 'ReportAmended':
      return `  Its report is amended: ${name(event.data.stepId)} is ${event.data.change}.`;
    default:
      return null;
  }
};

const settled = (
  { verdict, by, evidence }: RunEventData<'DoubtSettled'>,
  name: string,
  isCancelled: boolean,
): string => {
  const source = SOURCES[by];
  const next = isCancelled ? 'It never will be.' : 'It is safe to do it now.';
  switch (verdict) {
    case 'applied':
      return `${pc.green('✓ applied')}   ${name}: ${source}: ${evidence.summary}. It is not done again.`;
    case 'absent':
      return `${pc.green('✓ absent')}    ${name}: ${source}: ${evidence.summary}. ${next}`;
    case 'rerun':
      return `${pc.yellow('↻ again')}     ${name}: its policy says that it may be run again without asking.`;
    default:
      return unreachable(verdict);
  }
};

const CAUSES: Readonly<Record<RunEventData<'DoubtOpened'>['cause'], string>> = {
  session_ended: 'its worker died while it held the call; it may have acted',
  session_expired: 'nothing is heard of its executor; it may have acted',
  outcome_unknown: 'the call ended without a usable answer; it may have acted',
  deadline_passed: 'its deadline has passed without a word; it may have acted',
  claims_unreadable: 'who held the call cannot be read any more; it may have acted',
};

const SOURCES: Readonly<Record<RunEventData<'DoubtSettled'>['by'], string>> = {
  reconciler: 'the office was asked',
  outcome: 'its holder reported after all',
  person: 'a person looked',
  policy: 'by its policy',
  log: 'the log proves it',
};

export const tellHold = (): string =>
  pc.yellow('The run is held: nothing with an effect may begin until every doubt is settled.');

export const tellRelease = (heldMs: number): string =>
  pc.green(`Every doubt is settled after ${heldMs} ms: the run goes on.`);

/** What is about to be killed, and what it was for. */
export const tellKill = (victim: Victim, service: string, pids: readonly number[], atStep: number): string => {
  const signal = pc.red(pc.bold('✗ SIGKILL'));
  const who = `${signal} to ${WHO[victim](service)} (${pids.length > 1 ? 'processes' : 'process'} ${pids.join(', ')})`;
  return `${who}: ${atStep} steps have succeeded.`;
};

const WHO: Readonly<Record<Victim, (service: string) => string>> = {
  worker: (service) => `the worker of ${service}, which runs the tools`,
  executor: (service) => `all of ${service}, parent and worker`,
  coordinator: (service) => `${service}, the only writer of its lanes' histories`,
  reconciler: (service) => `${service}, which asks tools about what is in doubt`,
};

export const tellCancel = (atStep: number, withinMs: number): string =>
  `${pc.red(pc.bold('■ CANCEL'))} is asked for, to be over within ${seconds(withinMs)}: ${atStep} steps have succeeded.`;

export const tellFreeze = (pids: readonly number[]): string =>
  `${pc.cyan(pc.bold('❄ SIGSTOP'))} to every executor, parents and workers (processes ${pids.join(', ')}): ` +
  'nobody who holds a call can answer, or hear of the cancel.';

export const tellWake = (pids: readonly number[], isUnsettled: boolean): string =>
  `${pc.cyan(pc.bold('☀ SIGCONT'))} to processes ${pids.join(', ')}: they wake up in a world in which their run is over` +
  `${isUnsettled ? ', and some of what they held is still in doubt' : ''}.`;

const seconds = (ms: number): string => `${ms / 1_000} s`;
