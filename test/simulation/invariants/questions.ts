import type { Request } from '@holdfast/contracts';
import type { HistoryRecord, RunEventData } from '@holdfast/events';
import { isAbout, type ApprovalRule, type Plan } from '@holdfast/programs';
import type { Violated } from './invariant.js';

type Opened = RunEventData<'EscalationOpened'>;
type Given = { readonly at: number; readonly choice: string };

/** What people are asked, what they have written, and what became of it. */
export class QuestionChecks {
  private readonly open = new Map<string, Opened>();
  private readonly given = new Map<string, Given[]>();
  private readonly rules = new Map<string, readonly ApprovalRule[]>();
  /** Approvals that were given, by run and number. */
  private readonly approved = new Map<string, Opened>();

  constructor(private readonly violated: Violated) {}

  /** A request as it stands in the log, with the broker's time. */
  written({ type, data }: Pick<Request, 'type' | 'data'>, at: number): void {
    if (type !== 'AnswerEscalation' || !('choice' in data)) return;
    const { runId, escalation, choice } = data;
    const key = `${runId}/${escalation}`;
    this.given.set(key, [...(this.given.get(key) ?? []), { at, choice }]);
  }

  add({ event, subject, lane }: HistoryRecord): void {
    const runId = subject ?? '';
    switch (event.type) {
      case 'RunAccepted':
        return void this.rules.set(runId, (event.data.program as Plan).approvals ?? []);
      case 'EscalationOpened':
        return void this.open.set(`${runId}/${lane.seq}`, event.data);
      case 'EscalationAnswered':
        return this.answered(`${runId}/${event.data.escalationSeq}`, event.data);
      case 'EscalationExpired':
        return this.expired(`${runId}/${event.data.escalationSeq}`);
      case 'StepScheduled':
        return this.scheduled(runId, event.data);
      default:
        return;
    }
  }

  /** Who was late does not count, and nothing counts that nobody has written. */
  private answered(key: string, { choice, givenAt = 0 }: RunEventData<'EscalationAnswered'>): void {
    const question = this.open.get(key);
    if (question === undefined || question.doubtSeq !== null) return;
    if (givenAt >= question.expiresAt) this.violated('lateAnswersDoNotCount', `${key} was answered after its time`);
    const isWritten = this.given.get(key)?.some((given) => given.at === givenAt && given.choice === choice);
    if (isWritten !== true) this.violated('answersAreGiven', `${key} was answered ${choice} by nobody`);
    if (question.kind === 'approval' && choice === 'approve') this.approved.set(key, question);
  }

  /** Who answered in time is heard, whenever that is read. */
  private expired(key: string): void {
    const question = this.open.get(key);
    if (question === undefined || question.doubtSeq !== null) return;
    const inTime = this.given
      .get(key)
      ?.some(({ at, choice }) => at < question.expiresAt && question.choices.includes(choice));
    if (inTime === true) this.violated('answersInTimeCount', `${key} was answered in time and has expired`);
  }

  /** No call that needs an approval is made without one for this very call. */
  private scheduled(runId: string, data: RunEventData<'StepScheduled'>): void {
    const { stepId, tool, argsHash, approvalSeq, settling } = data;
    const isNeeded = this.rules.get(runId)?.some((rule) => isAbout(rule, tool));
    if (isNeeded !== true || settling) return;
    const approval = this.approved.get(`${runId}/${approvalSeq}`);
    const isFor =
      approval?.stepId === stepId && approval.approves?.tool === tool && approval.approves.argsHash === argsHash;
    if (!isFor) this.violated('onlyApprovedCalls', `${runId}/${stepId} is scheduled without its approval`);
  }
}
