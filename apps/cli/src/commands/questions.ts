import { askedAt, type Escalation, type RunEventData } from '@holdfast/events';
import { answerWith, count, moment, silenceWords } from '@holdfast/words';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { describeEscalation } from '../state-words.js';
import { found } from './reading.js';

/** Prints what people are asked, about one run or about all, with how to answer. */
export const questions = (session: Session, runId: string): Promise<ExitCode> =>
  runId === '' || session.gateway !== null ? inbox(session, runId) : ofRun(session, runId);

const inbox = async ({ views, output }: Session, of: string): Promise<ExitCode> => {
  const open = (await (await views()).inbox()).filter(({ runId }) => of === '' || runId === of);
  const now = Date.now();
  for (const question of open) {
    output.data({ kind: 'openQuestion', runId: question.runId, question });
    const { runId, seq, stepId, kind, expiresAt, status } = question;
    const until = status === 'expired' ? 'expired, still answerable' : `until ${moment(expiresAt, now)}`;
    output.say(`${runId} #${seq} ${kind} at ${stepId}, ${until}: ${question.question}`);
    output.say(`  ${answerWith(runId, question)}`);
  }
  output.say(open.length === 0 ? 'Nobody is asked anything.' : `${count(open.length, 'question')} open.`);
  return EXIT.ok;
};

const ofRun = async (session: Session, runId: string): Promise<ExitCode> => {
  const { output } = session;
  const { run, records } = await found(session, runId);
  const open = run === undefined || run.status === 'ended' ? [] : Object.values(run.escalations);
  for (const question of open) {
    const opening = records.find(({ lane }) => lane.seq === question.seq)?.event;
    const context = opening?.type === 'EscalationOpened' ? opening.data.context : undefined;
    output.say(describeEscalation(question));
    for (const line of details(question, context)) output.say(`  ${line}`);
    output.say(`  ${answerWith(runId, question)}`);
    output.data({ kind: 'question', runId, question: { ...question, context: context ?? null } });
  }
  if (open.length === 0) output.say(`Nobody is asked anything about run ${runId}.`);
  return EXIT.ok;
};

const details = (question: Escalation, context: RunEventData<'EscalationOpened'>['context']): readonly string[] => {
  const { assignees, schema, reminded } = question;
  const asked = new Set(askedAt(question, Date.now()));
  const later = assignees.filter(({ to }) => !asked.has(to)).map(({ to, afterMs }) => `${to} after ${afterMs} ms`);
  return [
    ...(context === undefined ? [] : [`shown: ${JSON.stringify(context)}`]),
    ...(schema === null ? [] : [`the answer must be: ${JSON.stringify(schema)}`]),
    ...(assignees.length === 0
      ? []
      : [`asked: ${[...asked].join(', ')}${later.length === 0 ? '' : `; then ${later.join(', ')}`}`]),
    ...(reminded.nth === 0 ? [] : [`reminded ${reminded.nth} times, last at ${new Date(reminded.at).toISOString()}`]),
    `if nobody answers: ${silenceWords(question)}`,
  ];
};
