/** What the coordinators are set to, where it is not the default, ms. */
export type ExplainOptions = { readonly graceMs?: number; readonly skewMs?: number; readonly cancelMs?: number };
export type Setting = Required<ExplainOptions> & { readonly now: number };
