type Wishing = { readonly compensate?: boolean | undefined };

/** Whether effects are undone afterwards, where a cancel says so: what passes it on says it too. */
export const undoWish = (cancel: Wishing | null): { readonly compensate?: boolean } =>
  cancel?.compensate === undefined ? {} : { compensate: cancel.compensate };
