import { shorten, type RunEventData } from '@holdfast/events';
import { place, tail, time, type WordsFor } from './phrases.js';

export const escalationWords: WordsFor<
  'EscalationOpened' | 'EscalationReminded' | 'EscalationAnswered' | 'EscalationExpired' | 'ApprovalVoided'
> = {
  EscalationOpened: (data) => opened(data),
  EscalationReminded: ({ to, nth, ...data }) =>
    `Reminder ${nth} about ${place(data)}, question ${data.escalationSeq}${to.length === 0 ? '' : `, to ${to.join(', ')}`}.`,
  EscalationAnswered: (data) =>
    `${data.principal ?? 'Somebody'} answered ${data.choice}${value(data)} about ${place(data)}${tail(data.note)}.`,
  EscalationExpired: (data) => `Nobody answered the question about ${place(data)} in time.`,
  ApprovalVoided: (data) => `The approval ${data.approvalSeq} for ${place(data)} is void: ${voidWords[data.cause]}.`,
};

const opened = (data: RunEventData<'EscalationOpened'>): string => {
  const [first] = data.assignees ?? [];
  const who = first === undefined ? 'A person' : first.to;
  return `${who} is asked about ${place(data)}: ${data.question} Choices: ${data.choices.join(', ')}; until ${time(data.expiresAt)}.`;
};

const value = ({ value: given }: RunEventData<'EscalationAnswered'>): string =>
  given === undefined ? '' : ` ${shortened(JSON.stringify(given))}`;

const shortened = (text: string): string => shorten(text, 200);

const voidWords: Readonly<Record<RunEventData<'ApprovalVoided'>['cause'], string>> = {
  arguments_changed: 'the arguments are not the approved ones',
  tool_changed: 'the tool is not the approved one',
  not_used_in_time: 'it was not used in time',
  may_have_acted: 'the call that was made under it may have acted',
};
