/** Those who write the rows, as the API sees them. */
export type Projections = {
  /** Empties the tables and begins anew, in all gateways. */
  rebuild(): Promise<void>;
  /** What the comparison of the rows with the log has found so far; null where this gateway does not compare. */
  shadow(): Shadow | null;
  /** Why a lane is not projected any more; null where it is. */
  broken(lane: number): string | null;
};

/** As `shadowSchema` of the API says it. */
export type Shadow = {
  readonly rounds: number;
  readonly rowsCompared: number;
  readonly at: { readonly lane: number; readonly offset: number } | null;
  readonly differs: { readonly lane: number; readonly offset: number; readonly detail: string } | null;
};

export const PROJECTIONS = Symbol('PROJECTIONS');
