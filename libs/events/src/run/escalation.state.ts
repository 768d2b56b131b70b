import type { Json } from '@holdfast/programs';
import { LIMITS } from '../limits.js';
import type { ApprovedCall, Choice } from './escalation.events.js';
import type { RunEventData } from './run.events.js';

type Opened = RunEventData<'EscalationOpened'>;

/** A question to a person that is open. */
export type Escalation = {
  readonly seq: number;
  readonly stepId: string;
  readonly attempt: number;
  readonly kind: Opened['kind'];
  readonly doubtSeq: number | null;
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly expiresAt: number;
  /** Nobody answered in time. A doubt can be answered all the same. */
  readonly expired: boolean;
  /** Absent in histories that do not say when it was asked: then nobody is reminded. */
  readonly openedAt: number | null;
  readonly assignees: NonNullable<Opened['assignees']>;
  readonly remindEveryMs: number | null;
  readonly schema: Readonly<Record<string, Json>> | null;
  readonly onSilence: NonNullable<Opened['onSilence']>;
  readonly approves: ApprovedCall | null;
  readonly usableMs: number;
  /** How often somebody was reminded, and when last. */
  readonly reminded: { readonly nth: number; readonly at: number };
};

/** A person's leave for one very call, until it is used or its time is over. */
export type Approval = ApprovedCall & { readonly seq: number; readonly usableUntil: number };

/** How a question ended. Withdrawn: what was asked was settled in another way, or is no longer of interest. */
export type ClosedQuestion = { readonly seq: number; readonly stepId: string } & (
  | {
      readonly how: 'answered';
      readonly choice: Choice;
      readonly principal: string | null;
      /** Null in histories that do not say it. */
      readonly at: number | null;
    }
  | { readonly how: 'expired'; readonly at: number }
  | { readonly how: 'withdrawn' }
);

/** Who is asked at a moment: everybody whose turn has come. */
export const askedAt = ({ assignees, openedAt }: Escalation, at: number): readonly string[] =>
  assignees.filter(({ afterMs }) => at >= (openedAt ?? 0) + afterMs).map(({ to }) => to);

/** When somebody is to be reminded next, or the next in line is to be asked; Infinity for never. */
export const nextReminder = (escalation: Escalation): number => {
  const { assignees, openedAt, remindEveryMs, reminded, expired } = escalation;
  if (openedAt === null || expired) return Infinity;
  const turns = assignees.map(({ afterMs }) => openedAt + afterMs).filter((at) => at > reminded.at);
  const passed = remindEveryMs === null ? 0 : Math.floor((reminded.at - openedAt) / remindEveryMs);
  // However often somebody was reminded, the next in line is asked all the same.
  const often = remindEveryMs === null || reminded.nth >= LIMITS.remindersMax;
  const again = often ? Infinity : openedAt + (passed + 1) * remindEveryMs;
  return Math.min(again, ...turns);
};
