/** How long the main thread may be silent while a call is past its time, ms. */
const SILENT_MS = 5_000;
/** How long a worker without a parent goes on trying to say what became of its calls, ms. */
const LAST_WORDS_MS = 10 * 60_000;

/** What is known of a worker whose parent is gone, by the monotonic clock, ms. */
export type Orphan = {
  /** When its parent was first missed. */
  readonly since: number;
  /** When its main thread was last there. */
  readonly lastSeen: number;
  /** Until when its calls may take. */
  readonly callsUntil: number;
};

/**
 * Whether it must end now: it hangs in a call that is past its time, or nobody has taken its last words for so long that
 * others have found out without it.
 */
export const mustEnd = ({ since, lastSeen, callsUntil }: Orphan, now: number): boolean => {
  if (now < callsUntil) return false;
  return now - lastSeen >= SILENT_MS || now - Math.max(since, callsUntil) >= LAST_WORDS_MS;
};
