import type { SharedEventData } from './shared.events.js';

/** What a lane holds beside its runs: what several runs share, and what waits for runs to come. Never mutated. */
export type Shared = {
  /** Cancels that came before their run, by run id; oldest first. */
  readonly cancels: Readonly<Record<string, RememberedCancel>>;
};
export type RememberedCancel = SharedEventData<'CancelRemembered'>;

export const emptyShared: Shared = { cancels: {} };

/** The next moment at which time alone may lead to something for what is shared, epoch ms. */
export const nextSharedDue = ({ cancels }: Shared): number =>
  Math.min(Infinity, ...Object.values(cancels).map(({ until }) => until));
