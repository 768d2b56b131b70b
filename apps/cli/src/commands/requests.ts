import type { Json } from '@holdfast/programs';
import {
  RequestRefused,
  systemIds,
  type Answer,
  type BulkCancelling,
  type Client,
  type EscalationAnswer,
  type Pending,
  type Submission,
} from '@holdfast/sdk';
import { budgetOf } from '../budget.js';
import { jsonOrFile } from '../input.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { isYaml, placedRefusal, planIn, programSource } from '../source/source.js';
import { together, type TogetherArguments } from './together.js';
import { watch } from './watch.js';

export type SubmitArguments = TogetherArguments & {
  readonly input?: string;
  readonly run?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly deadline?: number;
  readonly budget?: readonly string[];
  readonly tenant?: string;
  readonly watch?: boolean;
};

export const submit = async (session: Session, file: string, options: SubmitArguments): Promise<ExitCode> => {
  const { principal } = session;
  const source = await programSource(file, 'the program');
  const program = source.value;
  // What a person writes is looked at before anybody is asked.
  if (isYaml(file)) planIn(source, 'the program');
  const runId = options.run ?? newRunId(program);
  const submission: Submission = {
    runId,
    program,
    principal,
    ...(options.input === undefined ? {} : { input: json(await jsonOrFile(options.input, 'the input')) }),
    ...(options.label === undefined ? {} : { labels: options.label }),
    ...(options.deadline === undefined ? {} : { deadlineMs: options.deadline }),
    ...(options.budget === undefined ? {} : { budget: await budgetOf(options.budget) }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    ...together(options),
  };
  const answer = await patiently(session, (client) => client.submit(submission)).catch((error: unknown) => {
    throw placedRefusal(error, source);
  });
  tell(session, answer, `Run ${runId} is accepted`);
  if (options.watch === true) return watch(session, runId, { wait: true });
  session.output.say(`Watch it with: holdfast watch ${runId}`);
  return EXIT.ok;
};

export type CancelArguments = {
  readonly within?: number;
  readonly reason?: string;
  readonly mode?: 'abort' | 'drain';
  /** Instead of one run: all that have these labels. */
  readonly label?: Readonly<Record<string, string>>;
  readonly compensate?: boolean;
  readonly watch?: boolean;
};

export const cancel = async (session: Session, runId: string, options: CancelArguments): Promise<ExitCode> => {
  const { label: labels, within, reason, mode, compensate } = options;
  if ((runId === '') === (labels === undefined)) {
    throw new Problem(EXIT.usage, 'either a run or --label is needed', 'Name one run, or the labels of many.');
  }
  const cancelling = {
    principal: session.principal,
    ...(mode === undefined ? {} : { mode }),
    ...(within === undefined ? {} : { withinMs: within }),
    ...(reason === undefined ? {} : { reason }),
    ...(compensate === undefined ? {} : { compensate }),
  };
  if (labels !== undefined) return cancelMany(session, { ...cancelling, labels }, options.watch === true);
  const answer = await (await session.client()).cancel(runId, cancelling);
  tell(session, answer, `Run ${runId} is being cancelled; nothing starts any more`);
  if (options.watch !== true) return EXIT.ok;
  // A cancelled run has not succeeded, but the cancel has.
  await watch(session, runId, {});
  return EXIT.ok;
};

const cancelMany = async (session: Session, cancelling: BulkCancelling, watches: boolean): Promise<ExitCode> => {
  const { output } = session;
  const client = await session.client();
  const { requestId, answers } = await client.cancelRuns(cancelling);
  for (const answer of answers) output.data({ kind: 'answer', ...answer });
  const runs = answers.reduce((sum, answer) => sum + runsIn(answer), 0);
  const refused = answers.find(({ outcome }) => outcome === 'refused');
  const silent = answers.filter(({ outcome }) => outcome === 'pending').length;
  const lanes = answers.filter(({ outcome }) => outcome === 'accepted' || outcome === 'unchanged').length;
  output.say(`${runs} runs on ${lanes} lanes are to be cancelled, some at a time. Once a run is, it starts nothing.`);
  if (refused?.outcome === 'refused') throw new RequestRefused(refused);
  if (silent > 0)
    throw new Problem(
      EXIT.unreachable,
      `${silent} lanes have not answered request ${requestId}; it will be read there all the same`,
      'Check that coordinators are running.',
    );
  if (!watches) return EXIT.ok;
  let said = -1;
  for await (const progress of client.watchCancelRuns(requestId, { signal: session.interrupted() })) {
    output.data({ kind: 'progress', requestId, ...progress });
    const { cancelled, runs: all, ended } = progress;
    const tenths = Math.floor((10 * ended) / Math.max(1, all));
    if (tenths > said) output.say(`${cancelled} of ${all} runs cancelled, ${ended} over.`);
    said = Math.max(said, tenths);
  }
  return EXIT.ok;
};

const runsIn = (answer: Answer | Pending): number => {
  const { runs } = (answer.outcome === 'pending' ? {} : (answer.details ?? {})) as { readonly runs?: unknown };
  return typeof runs === 'number' ? runs : 0;
};

export type AnswerArguments = {
  readonly step?: string;
  readonly question?: number;
  readonly escalation?: number;
  readonly choice?: string;
  readonly value?: string;
  readonly note?: string;
  readonly proof?: string;
  readonly result?: string;
  readonly budget?: readonly string[];
};

export const answer = async (session: Session, runId: string, options: AnswerArguments): Promise<ExitCode> => {
  const { principal } = session;
  const escalation = options.question ?? options.escalation;
  if ((options.step === undefined) === (escalation === undefined)) {
    throw new Problem(EXIT.usage, 'either --question or --step is needed', SEE_QUESTIONS);
  }
  if ((options.choice === undefined) === (options.value === undefined)) {
    throw new Problem(EXIT.usage, 'either --choice or --value is needed', SEE_QUESTIONS);
  }
  if (options.result !== undefined && options.choice !== 'applied') {
    throw new Problem(EXIT.usage, '--result goes only with --choice applied', 'Leave one of them out.');
  }
  const said: EscalationAnswer = {
    choice: options.choice ?? 'answer',
    principal,
    lookedAt: Date.now(),
    ...(options.step === undefined ? {} : { stepId: options.step }),
    ...(escalation === undefined ? {} : { escalation }),
    ...(options.value === undefined ? {} : { value: json(await jsonOrFile(options.value, 'the answer')) }),
    ...(options.proof === undefined ? {} : { proof: json(await jsonOrFile(options.proof, 'the proof')) }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.result === undefined ? {} : { result: json(await jsonOrFile(options.result, 'the result')) }),
    ...(options.budget === undefined ? {} : { budget: await budgetOf(options.budget) }),
  };
  const answered = await patiently(session, (client) => client.answer(runId, said));
  tell(session, answered, `The answer ${said.choice} is part of the history of run ${runId}`);
  return EXIT.ok;
};

const SEE_QUESTIONS = 'See what is asked with holdfast questions.';
const QUIET_MS = 3_000;

/** Asks, and says why it takes time when nobody answers soon. */
const patiently = async (session: Session, ask: (client: Client) => Promise<Answer>): Promise<Answer> => {
  const client = await session.client();
  const timer = setTimeout(
    () => session.output.note('Waiting for a coordinator to answer; Ctrl-C gives up.'),
    QUIET_MS,
  );
  return ask(client).finally(() => clearTimeout(timer));
};

/** Says what an answer means. Where the coordinator has words of its own, they say more than ours. */
export const tell = ({ output }: Session, answer: Answer, accepted: string): void => {
  output.data({ kind: 'answer', ...answer });
  const { outcome, message, lane, seq } = answer;
  const unchanged = `Nothing is changed${message === undefined ? '' : `: ${message}`}`;
  const sentence = outcome === 'unchanged' ? unchanged : message === undefined ? accepted : `Accepted: ${message}`;
  output.say(`${sentence} (lane ${lane}, seq ${seq}).`);
};

/** Names the run after its program, so that people can tell it from others. */
const newRunId = (program: Json): string => {
  const { name } = (program ?? {}) as { name?: unknown };
  const slug =
    typeof name === 'string'
      ? name
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, '-')
          .replaceAll(/^-+|-+$/g, '')
      : '';
  return `${slug === '' ? 'run' : slug.slice(0, 60)}-${systemIds.next()}`;
};

type MutableJson = NonNullable<Submission['input']>;
// JSON that was just parsed belongs to nobody else.
const json = (value: Json): MutableJson => value as MutableJson;
