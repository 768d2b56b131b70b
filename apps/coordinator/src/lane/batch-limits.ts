/** How much may be decided in one batch, and in `steps` and `notes` about one run in it. */
export type Limits = Readonly<Record<'arrivals' | 'runs' | 'events' | 'steps' | 'notes', number>>;

/** Room kept in a batch for what follows from its arrivals: events of at most about 700 bytes each. */
export const RESERVE_BYTES = 320 * 1024;
/** Events of one kind that time alone may lead to in one batch. */
export const NOTES_MAX = 64;
