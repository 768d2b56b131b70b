import type { AttemptView, DoubtEntry, QuestionView, StepView } from '@holdfast/api';
import type { AttemptRow, DoubtRow, QuestionRow, StepRow } from '../../store/tables.js';

export const stepView = (row: StepRow): StepView => ({
  stepId: row.stepId,
  tool: row.tool,
  policy: row.policy,
  status: row.status as StepView['status'],
  attempts: row.attempts,
  tries: row.tries,
  scheduledAt: row.scheduledAt,
  endedAt: row.endedAt,
  failure: row.failure as StepView['failure'],
});

export const attemptView = (row: AttemptRow): AttemptView => ({
  stepId: row.stepId,
  attempt: row.attempt,
  tool: row.tool,
  policy: row.policy,
  status: row.status as AttemptView['status'],
  settling: row.settling,
  queue: row.queue,
  partition: row.partition,
  session: row.session,
  effect: row.effect as AttemptView['effect'],
  scheduledAt: row.scheduledAt,
  heldAt: row.heldAt,
  endedAt: row.endedAt,
});

export const doubtView = ({ lane: _lane, offset: _offset, ...row }: DoubtRow): DoubtEntry => row;

export const questionView = (row: QuestionRow): QuestionView => ({
  runId: row.runId,
  seq: row.seq,
  stepId: row.stepId,
  kind: row.kind,
  question: row.question,
  context: row.context,
  choices: row.choices as unknown as string[],
  schema: row.schema,
  approves: row.approves,
  assignees: row.assignees as unknown as QuestionView['assignees'],
  openedAt: row.openedAt,
  expiresAt: row.expiresAt,
  onSilence: row.onSilence,
  status: row.status as QuestionView['status'],
  choice: row.choice,
  answeredBy: row.answeredBy,
  note: row.note,
  endedAt: row.endedAt,
});
