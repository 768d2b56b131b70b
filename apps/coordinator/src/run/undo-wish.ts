import type { Cancel } from '@holdfast/events';

type Wishing = { readonly compensate?: boolean | undefined };

/** Whether effects are undone afterwards, where a cancel says so: what passes it on says it too. */
export const undoWish = (cancel: Wishing | null): { readonly compensate?: boolean } =>
  cancel?.compensate === undefined ? {} : { compensate: cancel.compensate };

/** Children are undone with a run that is cancelled, and as it says; not where it fails, is replaced or is killed. */
export const childWish = (cancel: Cancel | null): { readonly compensate?: boolean } =>
  cancel === null || cancel.as === 'superseded' ? { compensate: false } : undoWish(cancel);
