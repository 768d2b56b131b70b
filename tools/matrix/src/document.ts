import type { Cell, Report } from '@holdfast/chaos';
import type { Machine } from '@holdfast/dev';
import { FAILPOINTS } from '@holdfast/service/failpoint';

/** A report with what it was measured on and with. */
export type Measured = Report & {
  readonly seed: number;
  /** Null: strikes were at random. */
  readonly sweeps: number | null;
  readonly fleets: number;
  readonly wallMs: number;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly commit: string | null;
};

/** `docs/crash-matrix.md` as Markdown; nothing in it is written by hand. */
export const documentOf = (measured: Measured): string =>
  [
    '# Crash matrix',
    'Written by `npm run chaos -- --docs`; not to be edited by hand.',
    introduction,
    counts(measured),
    '## Recovery',
    recoveryWords,
    recovery(measured),
    '## Failpoint by replay policy',
    matrixWords,
    matrix(measured.cells),
    ...(measured.neverHit.length === 0 ? [] : ['Never hit:', list(measured.neverHit)]),
    ...(measured.wrong.length === 0 ? [] : ['## What went wrong', list(measured.wrong.map(wrongWords))]),
    ...(measured.troubles.length === 0 ? [] : ['Waited for in vain:', list(measured.troubles)]),
    '## What is not covered',
    list(notCovered),
  ].join('\n\n');

const introduction =
  'Each service is killed (`SIGKILL`) and frozen (`SIGSTOP`) at each of its failpoints, on a real broker, while five runs ' +
  'are under way, one for each replay policy. Effects are entries in a ledger that is a process of its own. A killed ' +
  'worker is replaced by its parent, any other process is started again. A frozen one stays frozen until others do all ' +
  'that it did; then it is woken, or killed, in turn. With a worker its whole executor is frozen. What only a person can ' +
  'decide is answered after a look into the ledger. A *duplicate* is an entry too many for a keyed, verifiable or ' +
  'unprotected step; pure and repeatable steps may be repeated by their policy. A *loss* is a step that has succeeded ' +
  'without an entry, or a run that did not succeed.';

const recoveryWords =
  'From the strike until the slowest of the runs that were under way has made progress again: a further step of it has ' +
  'succeeded, or it has ended. That includes everything the policies ask for before a run may go on: a call that is left ' +
  'in doubt waits for its deadline (2 s here) and the settle window of its tool, and at an unprotected one for a person. ' +
  'Lease 2 s, seats 6 s.';

const matrixWords =
  'Each cell: how often the failpoint was hit with a run of the policy under way · duplicates · losses.';

const notCovered = [
  '`executor.effect.before` is never woken after a freeze, only killed: whoever sleeps between its last check and the ' +
    'first byte of its effect acts late on waking, and only a tool that checks a key closes that window (see ' +
    '[guarantees](guarantees.md)).',
  'Failpoints lie between the steps of the shells. A crash inside a call of the operating system or of the broker ' +
    'client is not aimed at.',
  'One broker, which is not struck here; brokers that die, freeze or lose answers have tests of their own.',
  'All processes share one machine and its clock.',
  'One process is struck at a time. Two at once happen only where one death is needed to come to a failpoint.',
];

const number = (value: number): string => value.toLocaleString('en-US');

const row = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(' | ')} |`;

const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows].join('\n');

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

const counts = (measured: Measured): string => {
  const { machine, sweeps, seed, fleets } = measured;
  const { cpus, cpu, memoryGiB, node, kafka } = machine;
  return table(
    ['', ''],
    [
      row('Duplicated effects', measured.duplicates),
      row('Lost effects', measured.lost),
      row('Conflicts', measured.conflicts),
      row('Effects under keys of no step', measured.strangers.length),
      row('Processes killed', measured.kills),
      row('Processes frozen', measured.freezes),
      row('Runs', measured.runs),
      row('Effects', measured.effects),
      row('Repeats that a policy allows', measured.repeats),
      row('Cells', measured.cells.length),
      row('Cells never hit', measured.neverHit.length),
      row('Histories that are not sound', measured.defects.length),
      row('Sets of services that could not go on', measured.troubles.length),
      row('Sweeps', sweeps === null ? 'strikes at random' : sweeps),
      row('Seed', String(seed)),
      row('Duration', `${number(Math.round(measured.wallMs / 1_000))} s, ${fleets} fleets side by side`),
      row('Machine', `${cpus} × ${cpu}, ${memoryGiB} GiB, Node.js ${node}, Kafka ${kafka}`),
      row('Date', measured.startedAt),
      row('Commit', measured.commit ?? 'unknown'),
    ],
  );
};

const recovery = ({ recoveryMs }: Measured): string =>
  table(
    ['Process', 'Struck by', 'Strikes', 'p50 ms', 'p99 ms', 'max ms'],
    Object.entries(recoveryMs).flatMap(([kind, byAction]) =>
      Object.entries(byAction).map(([action, { n, p50, p99, max }]) => row(kind, action, n, p50, p99, max)),
    ),
  );

const matrix = (cells: readonly Cell[]): string => {
  const programs = [...new Set(cells.map(({ program }) => program))];
  const points = [...new Set(cells.map(({ point }) => point))];
  return table(
    ['Failpoint', 'Process', 'Struck when', ...programs],
    points.map((point) => {
      const { process, between } = FAILPOINTS[point];
      const here = (program: string) => cells.filter((cell) => cell.point === point && cell.program === program);
      return row(`\`${point}\``, process, between, ...programs.map((program) => cellWords(here(program))));
    }),
  );
};

const cellWords = (cells: readonly Cell[]): string => {
  const sum = (of: (cell: Cell) => number): number => cells.reduce((total, cell) => total + of(cell), 0);
  const [hits, duplicates, lost] = [sum((cell) => cell.hits), sum((cell) => cell.duplicates), sum((cell) => cell.lost)];
  const words = `${hits} · ${duplicates} · ${lost}`;
  return duplicates + lost > 0 || hits === 0 ? `**${words}**` : words;
};

const wrongWords = ({ strike, run }: Report['wrong'][number]): string =>
  `\`${strike.point}\` ${strike.action}: \`${run.runId}\` ${run.end ?? 'has not ended'}, ` +
  `${run.tally.duplicates} duplicated, ${run.tally.lost} lost, ${run.conflicts} conflicts`;
