import { waitsFor, type LiveRun, type Wait, type WaitKind } from '@holdfast/events';
import { amountsWords, describeWait, moment, reasonWords, tail } from '@holdfast/words';
import { doubtLines, questionLines } from './asked.js';
import type { Setting } from './setting.js';
import type { Told } from './told.js';

/** Why a run does not move, the most important thing first; of one that is over, why it is. */
export const moving = (told: Told, setting: Setting): readonly string[] => {
  const { run, live } = told;
  if (run.status === 'ended') return [...ended(told, setting), 'Nothing of it is open or in doubt.'];
  const lines = [
    ...ended(told, setting),
    ...steered(live, setting),
    ...key(live, setting),
    ...doubtLines(told, setting),
    ...questionLines(told, setting),
    ...tenant(live),
    ...waitLines(live, setting),
    ...part(live),
  ];
  return lines.length === 0 ? ['It waits for nothing.'] : lines;
};

const ended = ({ end }: Told, { now }: Setting): readonly string[] => {
  if (end === null) return [];
  const { cause } = end;
  const asked = cause?.by == null ? '' : ` ${cause.by} asked for that.`;
  return [`It ended ${moment(end.endedAt, now)}: ${reasonWords(end.reason)}${tail(end.detail)}.${asked}`];
};

/** What somebody has said about it, and what has stopped it. */
const steered = ({ runId, cancel, paused, end, budget: { stop } }: LiveRun, { now }: Setting): readonly string[] => [
  ...(cancel === null || end !== null
    ? []
    : [
        `${cancel.principal ?? 'Somebody'} cancelled it${tail(cancel.reason)}. Nothing starts any more; it is over by ` +
          `${moment(cancel.deadlineAt, now)}, sooner if nothing is open any more.`,
      ]),
  ...(paused === null
    ? []
    : [
        `${paused.principal ?? 'Somebody'} paused it ${moment(paused.since, now)}${tail(paused.reason)}. ` +
          `Let it go on with: holdfast resume ${runId}`,
      ]),
  ...(stop === null || end !== null
    ? []
    : [
        `It is stopped (${reasonWords(stop.reason)}): ${stop.detail}.${stop.asks ? ' A person is asked about it.' : ''}`,
      ]),
];

const key = ({ concurrency: own, end }: LiveRun, { now }: Setting): readonly string[] => {
  if (own === null || end !== null) return [];
  if (own.status === 'asked') return [`It has asked for the key ${own.key}, and begins once it has it.`];
  if (own.status !== 'waiting') return [];
  return [
    `It waits for the key ${own.key} since ${moment(own.since, now)}: run ${own.holder} has it, and this one is number ` +
      `${own.place}.`,
  ];
};

const part = ({ parent, end }: LiveRun): readonly string[] =>
  parent === null || end !== null
    ? []
    : [`Run ${parent.runId} has begun it (${parent.stepId})${parent.detached ? ', and it may outlive that one' : ''}.`];

const tenant = ({ budget: { grant }, end }: LiveRun): readonly string[] => {
  if (grant === null || end !== null) return [];
  if (grant.denied !== null) return [`Its tenant ${grant.tenant} grants no more: ${grant.denied}.`];
  const had = grant.total === null ? 'nothing yet' : amountsWords(grant.total);
  return grant.open ? [`It waits for a grant of its tenant ${grant.tenant}, which has granted ${had}.`] : [];
};

/** In the order in which they matter; the others are told where they belong. */
const told: readonly WaitKind[] = ['place', 'child', 'undo', 'backoff', 'closing', 'claim', 'outcome'];
const NAMED_MAX = 5;

const waitLines = (run: LiveRun, { now, graceMs, skewMs }: Setting): readonly string[] => {
  const waits = waitsFor(run, { now, graceMs, skewMs });
  const held = waits.filter(({ what }) => what === 'doubt').length;
  return [
    ...(held === 0 ? [] : ['No step with an effect begins before that is settled.']),
    ...told
      .filter((kind) => kind !== 'place' || run.paused === null)
      .flatMap((kind) => grouped(waits.filter(({ what }) => what === kind))),
  ];
};

const grouped = (waits: readonly Wait[]): readonly string[] => {
  const more = waits.length - NAMED_MAX;
  return [
    ...waits.slice(0, NAMED_MAX).map((wait) => `${describeWait(wait)}.`),
    ...(more > 0 ? [`… and ${more} more of that kind.`] : []),
  ];
};
