/** Colours with a meaning. Never the only sign: beside each stands a word. */
export type Tone = 'blue' | 'green' | 'red' | 'amber' | 'violet' | 'teal' | 'grey';

export const toneColor = (tone: Tone): string => `var(--hf-${tone})`;

const tones: Readonly<Record<string, Tone>> = {
  running: 'blue',
  waiting: 'violet',
  recovering: 'amber',
  paused: 'grey',
  cancelling: 'red',
  closing: 'teal',
  ended: 'grey',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'grey',
  superseded: 'grey',
  budget_exhausted: 'red',
  deadline_exceeded: 'red',
  looping: 'red',
  escalation_expired: 'red',
  open: 'blue',
  held: 'blue',
  doubtful: 'amber',
  left: 'grey',
  closed: 'grey',
  skipped: 'grey',
  absent: 'grey',
  applied: 'green',
  in_doubt: 'amber',
  conflict: 'red',
  draining: 'amber',
  answered: 'green',
  expired: 'red',
  withdrawn: 'grey',
  none: 'grey',
  unknown: 'amber',
  rerun: 'teal',
  alive: 'green',
  silent: 'red',
};

/** The tone of a status, reason, effect or verdict. What nobody knows is grey. */
export const toneOf = (word: string): Tone => tones[word] ?? 'grey';

/** `deadline_exceeded` as people say it. */
export const spoken = (word: string): string => word.replaceAll('_', ' ');
