import type { ExecutorView } from '@holdfast/api';
import { span } from '@holdfast/words';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';
import type { LaneSeen } from '../views/views.js';

/** Prints the executors that were heard of lately. */
export const executors = async ({ views, output }: Session): Promise<ExitCode> => {
  const all = (await (await views()).executors()).toSorted((a, b) => b.lastBeatAt - a.lastBeatAt);
  for (const executor of all) output.data({ kind: 'executor', ...executor });
  const now = Date.now();
  if (all.length === 0) output.say('No executor was heard of lately: start one.');
  else
    output.say(
      columns(
        ['executor', 'state', 'heard', 'sessions', 'queues', 'tools'],
        all.map((one) => line(one, now)),
      ),
    );
  return EXIT.ok;
};

const line = (one: ExecutorView, now: number): readonly string[] => [
  one.executor,
  one.alive ? 'alive' : 'gone',
  `${span(Math.max(0, now - one.lastBeatAt))} ago`,
  one.sessions.map(({ session, state }) => `${session} ${state}`).join('\n') || '–',
  one.queues
    .map(({ queue, partitions, slots, free }) => `${queue}[${partitions.join(',')}] ${free}/${slots} free`)
    .join('\n'),
  one.tools.join('\n'),
];

/** Prints the lanes: owner, epoch, end, and what is not read yet. */
export const lanes = async ({ views, output }: Session): Promise<ExitCode> => {
  const all = await (await views()).lanes();
  for (const lane of all) output.data({ kind: 'lane', ...lane });
  const now = Date.now();
  output.say(
    columns(
      ['lane', 'owner', 'epoch', 'heard', 'end', 'waiting', 'projected', 'open runs'],
      all.map((one) => laneLine(one, now)),
    ),
  );
  const broken = all.filter((one) => one.broken !== null);
  for (const { lane, broken: why } of broken) output.say(`Lane ${lane} stands still: ${why}`);
  return broken.length === 0 ? EXIT.ok : EXIT.notSucceeded;
};

const laneLine = (one: LaneSeen, now: number): readonly string[] => [
  String(one.lane),
  one.owner ?? 'nobody',
  String(one.epoch),
  one.ownerBeatAt === null ? 'never' : `${span(Math.max(0, now - one.ownerBeatAt))} ago`,
  String(one.end),
  one.inputs === null
    ? `${one.requestsWaiting} requests`
    : `${one.inputs.requests} requests, ${one.inputs.journal} outcomes, ${one.inputs.verdicts} verdicts`,
  one.projected === null ? '–' : `${one.projected} (${one.lagRecords ?? 0} behind)`,
  String(one.runsOpen),
];
