/** Why a plan is refused. Closed: whoever submits plans can tell them apart. */
export type PlanProblemCode =
  /** Not the form of a plan, or a template object that misuses `$from`, `$text` or `$literal`. */
  | 'malformed'
  | 'nested_too_deep'
  | 'duplicate_id'
  | 'unknown_after'
  | 'unknown_reference'
  /** The step exists, but in the items of a `forEach` that the reference is not in. */
  | 'reference_out_of_scope'
  | 'cycle'
  | 'unknown_tool'
  /** The tool cannot be asked as a model is. */
  | 'not_a_model'
  /** A reference into the input, an item or a result that has no such value. */
  | 'leads_nowhere'
  | 'not_an_array'
  | 'too_many_items'
  | 'argument_missing'
  | 'argument_unknown'
  | 'argument_wrong'
  | 'unusable_schema'
  | 'timeout_too_long'
  | 'key_time_too_short'
  /** Nobody's answer would let something happen that cannot be undone. */
  | 'silence_goes_on'
  /** What is taken over from another run is nothing that a run of the plan can have come to. */
  | 'bad_progress';

/** One reason for a refusal, and where in the plan it is: `steps[0].args.path`. */
export type PlanProblem = { readonly at: string; readonly code: PlanProblemCode; readonly message: string };

/** The place of a key in an object, or of a position in an array. */
export const placeOf = (at: string, key: string | number): string => {
  if (typeof key === 'number') return `${at}[${key}]`;
  return at === '' ? key : `${at}.${key}`;
};

/** The same finding at the same place is told once, however many items show it. */
export const distinct = (problems: readonly PlanProblem[]): readonly PlanProblem[] => {
  const seen = new Map<string, PlanProblem>();
  for (const problem of problems) {
    const key = `${problem.code} ${problem.at}`;
    if (!seen.has(key)) seen.set(key, problem);
  }
  return [...seen.values()];
};
