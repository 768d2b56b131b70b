/** The tabs of a run, in their order: the keys 1 to 8. */
export const tabs = [
  { id: 'overview', name: 'Overview' },
  { id: 'timeline', name: 'Timeline' },
  { id: 'steps', name: 'Steps' },
  { id: 'effects', name: 'Effects' },
  { id: 'transcript', name: 'Transcript' },
  { id: 'questions', name: 'Questions' },
  { id: 'history', name: 'History' },
  { id: 'time-travel', name: 'Time travel' },
] as const;
export type TabId = (typeof tabs)[number]['id'];

export const tabOf = (text: string | undefined): TabId => tabs.find(({ id }) => id === text)?.id ?? 'overview';
