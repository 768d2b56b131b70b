import { jsonBytes, runEvent, type RunEventData } from '@holdfast/events';
import type { Asking, Json } from '@holdfast/programs';
import { boundedText } from './bounded.js';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';

type Opened = RunEventData<'EscalationOpened'>;
export type Asked = Omit<Opened, 'expiresAt' | 'openedAt' | 'assignees' | 'remindEveryMs'> & {
  readonly asking?: Asking;
};

/** As much of a batch as one scheduled step may take, so that a batch is not filled by what is larger. */
export const STEP_BYTES = 10 * 1024;

/**
 * Asks a person. Whom, how often and for how long says the question, else the submitter, else the program. Answers how
 * many scheduled steps the question weighs.
 */
export const askPerson = (draft: RunDraft, { asking, ...asked }: Asked, env: Env): number => {
  const run = liveRun(draft);
  if (run === undefined) return 0;
  const { assignees, remindEveryMs, withinMs = env.settings.escalationMs } = { ...run.asking, ...given(asking) };
  const opened: Opened = {
    ...asked,
    question: boundedText(asked.question),
    expiresAt: env.now + withinMs,
    openedAt: env.now,
    ...(assignees === undefined ? {} : { assignees: [...assignees] }),
    ...(remindEveryMs === undefined ? {} : { remindEveryMs }),
  };
  record(draft, runEvent('EscalationOpened', opened));
  return 1 + Math.floor(jsonBytes(opened as unknown as Json) / STEP_BYTES);
};

const given = ({ assignees, remindEveryMs, withinMs }: Asking = {}): Asking => ({
  ...(assignees === undefined ? {} : { assignees }),
  ...(remindEveryMs === undefined ? {} : { remindEveryMs }),
  ...(withinMs === undefined ? {} : { withinMs }),
});
