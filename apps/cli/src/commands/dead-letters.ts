import type { DeadLetterView } from '@holdfast/api';
import { span, tail } from '@holdfast/words';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { columns } from '../table.js';

export type DeadLettersArguments = {
  readonly topic?: string | undefined;
  readonly limit: number;
  readonly sendAgain?: boolean;
};

/** Lists records that nobody could read, shows one, or sends one again. */
export const deadLetters = (session: Session, id: string, options: DeadLettersArguments): Promise<ExitCode> => {
  if (id === '' && options.sendAgain === true) {
    throw new Problem(
      EXIT.usage,
      '--send-again needs a dead letter',
      'Name one: holdfast dead-letters 3/17 --send-again',
    );
  }
  if (id === '') return list(session, options);
  return options.sendAgain === true ? again(session, id) : inspect(session, id);
};

const list = async ({ views, output }: Session, { topic, limit }: DeadLettersArguments): Promise<ExitCode> => {
  const letters = await (await views()).deadLetters(topic ?? null, limit);
  for (const letter of letters) output.data({ kind: 'deadLetter', ...letter });
  const now = Date.now();
  if (letters.length === 0) output.say('There are no dead letters.');
  else
    output.say(
      columns(
        ['id', 'from', 'age', 'bytes', 'sent again', 'why'],
        letters.map((letter) => line(letter, now)),
      ),
    );
  return EXIT.ok;
};

const line = (letter: DeadLetterView, now: number): readonly string[] => [
  letter.id,
  `${letter.topic}/${letter.partition} at ${letter.offset}`,
  `${span(Math.max(0, now - letter.at))} ago`,
  String(letter.bytes),
  letter.sentAgain === 0 ? 'never' : `${letter.sentAgain} times, last by ${letter.sentAgainBy ?? 'somebody'}`,
  `${letter.code}: ${letter.reason.split('\n')[0] ?? ''}`,
];

const inspect = async ({ views, output }: Session, id: string): Promise<ExitCode> => {
  const letter = await (await views()).deadLetter(placeOf(id));
  output.data({ kind: 'deadLetter', ...letter });
  const { value, key, topic, partition, offset } = letter;
  output.say(
    `Dead letter ${letter.id}, from ${topic}/${partition} at ${offset}, key ${key === null ? 'none' : visible(key)}.`,
  );
  output.say(`Set aside by ${letter.by} at ${new Date(letter.at).toISOString()} (${letter.code}): ${letter.reason}`);
  if (letter.sentAgain > 0)
    output.say(`Sent again ${letter.sentAgain} times, last by ${letter.sentAgainBy ?? 'somebody'}.`);
  output.say(
    value === undefined
      ? 'Nothing of it was kept.'
      : `${value.encoding}, ${letter.bytes} bytes:\n${visible(value.text)}`,
  );
  return EXIT.ok;
};

/** Whoever wrote it may have written anything: a terminal is told nothing by it. */
const visible = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD');

const again = async ({ views, output }: Session, id: string): Promise<ExitCode> => {
  const sent = await (await views()).sendAgain(placeOf(id));
  output.data({ kind: 'sentAgain', ...sent });
  const { topic, partition, offset, sentAgainBy, answer } = sent;
  output.say(`Dead letter ${id} is in ${topic}/${partition} again, at ${offset}; noted for ${sentAgainBy}.`);
  if (answer !== null) output.say(`Its coordinator has answered: ${answer.outcome}${tail(answer.message ?? '')}.`);
  return EXIT.ok;
};

const placeOf = (id: string): { readonly partition: number; readonly offset: number } => {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(id) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new Problem(
      EXIT.usage,
      `${id} is no dead letter`,
      'Give its id as holdfast dead-letters shows it, such as 3/17.',
    );
  }
  return { partition: Number(partition), offset: Number(offset) };
};
