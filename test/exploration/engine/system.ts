/** One small step that somebody may take. */
export type Move<S> = {
  /** What happens, in words. */
  readonly label: string | (() => string);
  readonly kind: MoveKind;
  readonly to: S;
};

/**
 * step: somebody does what is to be done · wait: nothing is left to do and time passes to the next due moment ·
 * late: something may happen that nobody waits for · fault: counted, and only so often.
 */
export type MoveKind = 'step' | 'wait' | 'late' | 'fault';

/** What is explored: states that are known by a key, and the moves that lead on from each. */
export type System<S> = {
  readonly first: S;
  readonly key: (state: S) => string;
  readonly at: (key: string) => S;
  readonly moves: (state: S) => readonly Move<S>[];
  /** What is wrong with the state, or null. */
  readonly breach: (state: S) => Breach | null;
  /** Whether the state is one in which things may rest. */
  readonly isEnd: (state: S) => boolean;
  /** How things stand, in a few words, for counting. */
  readonly outcome: (state: S) => string;
};

export type Breach = { readonly invariant: string; readonly detail: string };
