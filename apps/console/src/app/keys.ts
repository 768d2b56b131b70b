/** What the keys do. The help page, the dialog of shortcuts and the handler are made of this one list. */
export type Shortcut = { readonly keys: string; readonly does: string; readonly to?: string; readonly act?: Act };
export type Act = 'search' | 'next' | 'previous' | 'refresh' | 'scheme' | 'help';

export const shortcuts: readonly Shortcut[] = [
  { keys: 'g r', does: 'Runs', to: '/runs' },
  { keys: 'g i', does: 'Inbox: questions to people', to: '/inbox' },
  { keys: 'g d', does: 'Doubts', to: '/doubts' },
  { keys: 'g e', does: 'Executors', to: '/executors' },
  { keys: 'g l', does: 'Lanes', to: '/lanes' },
  { keys: 'g x', does: 'Dead letters', to: '/dead-letters' },
  { keys: 'g h', does: 'Help', to: '/help' },
  { keys: '/', does: 'Search in this page', act: 'search' },
  { keys: 'j', does: 'Next row', act: 'next' },
  { keys: 'k', does: 'Row before', act: 'previous' },
  { keys: 'r', does: 'Ask for everything again', act: 'refresh' },
  { keys: 't', does: 'Light, dark or as the system', act: 'scheme' },
  { keys: '?', does: 'These shortcuts', act: 'help' },
];

/** Further keys, which pages or the browser handle. */
export const otherKeys: readonly Shortcut[] = [
  { keys: 'Enter', does: 'Open the row that has the focus' },
  { keys: 'Esc', does: 'Close a dialog or a drawer' },
  { keys: '1 … 8', does: 'On a run: its tabs' },
  { keys: '← →', does: 'In time travel: the event before, the next one; in the timeline: earlier, later' },
  { keys: '+ −', does: 'In the timeline: closer, further away' },
];

export type Heard = { readonly hit: Shortcut | null; readonly pending: string };

/** What has been pressed so far, and whether it is a shortcut. A first key waits for the second one. */
export const hear = (pending: string, key: string): Heard => {
  const typed = pending === '' ? key : `${pending} ${key}`;
  const hit = shortcuts.find(({ keys }) => keys === typed);
  if (hit !== undefined) return { hit, pending: '' };
  if (shortcuts.some(({ keys }) => keys.startsWith(`${typed} `))) return { hit: null, pending: typed };
  return pending === '' ? { hit: null, pending: '' } : hear('', key);
};
