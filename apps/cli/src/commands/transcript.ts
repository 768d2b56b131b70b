import { shorten } from '@holdfast/events';
import type { TranscriptCall, TranscriptTurn } from '@holdfast/explain';
import { count } from '@holdfast/words';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';

export type TranscriptArguments = { readonly agent?: string; readonly whole?: boolean };

const LINE = 200;

/** Prints what the agents of a run did, turn by turn: what the model said, what it called, and what came back. */
export const transcript = async (
  { views, output }: Session,
  runId: string,
  { agent, whole = false }: TranscriptArguments,
): Promise<ExitCode> => {
  const all = await (await views()).transcript(runId);
  const turns = all.filter((turn) => agent === undefined || turn.agent === agent);
  for (const turn of turns) {
    output.data({ kind: 'turn', runId, ...turn });
    output.say(output.colors.cyan(`${turn.agent}, turn ${turn.turn + 1}${shown(turn)}`));
    for (const line of linesOf(turn)) output.say(`  ${whole ? line : shorten(line, LINE)}`);
  }
  if (turns.length === 0) output.say(nothing(runId, agent, all));
  return EXIT.ok;
};

const shown = ({ context: { leftOut, summed } }: TranscriptTurn): string =>
  leftOut === 0 ? '' : ` (${count(leftOut, 'turn')} ${summed ? 'summed up' : 'left out'} of what the model was shown)`;

const linesOf = ({ text, calls, did, answer, problem }: TranscriptTurn): readonly string[] => [
  ...(text === '' || did === 'answered' ? [] : [`says: ${text}`]),
  ...calls.map(callLine),
  ...(did === 'answered' ? [answer === null ? `answers too early: ${text}` : `answers: ${textOf(answer)}`] : []),
  ...(problem === null ? [] : [did === 'failed' ? `has failed: ${problem}` : `is told: ${problem}`]),
];

const BECAME = {
  refused: 'not made',
  open: 'is under way',
  in_doubt: 'IS IN DOUBT',
  succeeded: '→',
  failed: 'failed:',
};

const callLine = ({ name, arguments: args, became, said }: TranscriptCall): string =>
  `${name} ${args === '' ? '{}' : args} ${BECAME[became]}${said === null ? '' : ` ${textOf(said)}`}`;

const textOf = (value: TranscriptCall['said']): string => (typeof value === 'string' ? value : JSON.stringify(value));

const nothing = (runId: string, agent: string | undefined, all: readonly TranscriptTurn[]): string => {
  if (agent === undefined || all.length === 0) return `Run ${runId} has no agent that has had a turn.`;
  const names = [...new Set(all.map((turn) => turn.agent))];
  return `Run ${runId} has no agent ${agent}; it has ${names.join(', ')}.`;
};
