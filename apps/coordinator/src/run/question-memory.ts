import type { Request, RequestOf } from '@holdfast/contracts';
import type { ClosedQuestion, Escalation, LiveRun, RunState } from '@holdfast/events';
import type { RunDraft } from './draft.js';
import { refuse } from './refuse.js';

type Answer = RequestOf<Extract<Request['type'], 'AnswerEscalation'>>;

/** Questions that a step may ask more than once, each time about something else: they are known by number alone. */
const byNumberOnly: ReadonlySet<string> = new Set(['question', 'approval']);

/** The open question that an answer names. */
export const findQuestion = (
  run: LiveRun,
  seq: number | undefined,
  stepId: string | undefined,
): Escalation | undefined => {
  const open = Object.values(run.escalations);
  if (seq !== undefined) return open.find((known) => known.seq === seq);
  return (
    open
      .filter(({ kind }) => !byNumberOnly.has(kind))
      // By step alone a doubt is meant before a conflict.
      .toSorted((a, b) => Number(a.kind === 'conflict') - Number(b.kind === 'conflict'))
      .find((known) => known.stepId === stepId)
  );
};

/** Answers whoever comes too late, or asks about nothing: what became of the question, or which ones are open. */
export const replyNotOpen = (draft: RunDraft, request: Answer): void => {
  const { run } = draft;
  const closed = run?.closedQuestions?.findLast(({ seq }) => seq === request.data.escalation);
  if (closed !== undefined) return replyClosed(draft, request, closed);
  if (run === undefined || run.status === 'ended') {
    const code = run === undefined ? 'unknown_run' : 'run_ended';
    const how = run === undefined ? 'no such run' : `ended, ${run.end.reason}`;
    return refuse(draft, request, { code, message: `nothing is asked about run ${request.data.runId} (${how})` });
  }
  refuse(draft, request, { code: 'unknown_escalation', message: `that question is not open; ${openOnes(run)}` });
};

const openOnes = (run: Exclude<RunState, { status: 'ended' }>): string => {
  const open = Object.values(run.escalations).map(({ seq, stepId }) => `${seq} (${stepId})`);
  return open.length > 0 ? `open are ${open.join(', ')}` : 'nothing is open';
};

const replyClosed = (draft: RunDraft, request: Answer, closed: ClosedQuestion): void => {
  const { data, principal } = request;
  const question = `question ${closed.seq} (${closed.stepId})`;
  switch (closed.how) {
    case 'expired': {
      const until = new Date(closed.at).toISOString();
      return refuse(draft, request, { code: 'expired', message: `${question} was to be answered before ${until}` });
    }
    case 'withdrawn':
      return refuse(draft, request, {
        code: 'no_longer_asked',
        message: `${question} is settled or of no interest any more`,
      });
    case 'answered': {
      const { choice, at } = closed;
      const when = at === null ? '' : ` at ${new Date(at).toISOString()}`;
      const message = `${question} was answered ${choice} by ${closed.principal ?? 'somebody'}${when}`;
      const { requestId, runId } = data;
      // Whoever clicks twice has decided once.
      if (principal !== null && principal === closed.principal && choice === data.choice && choice !== 'answer') {
        return void draft.replies.push({ requestId, runId, outcome: 'unchanged', message });
      }
      const details = { choice, principal: closed.principal, at };
      return refuse(draft, request, { code: 'already_answered', message, details });
    }
  }
};
