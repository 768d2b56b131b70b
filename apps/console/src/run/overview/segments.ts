export type Segment = { readonly name: string; readonly count: number; readonly color: string };

type Counts = { readonly stepsOpen: number; readonly stepsSucceeded: number; readonly stepsFailed: number };

/** The steps of a run in parts, the way they are drawn one after the other; `whole` is what they are parts of. */
export const segments = (
  { stepsOpen, stepsSucceeded, stepsFailed }: Counts,
  planned: number | null,
): { readonly parts: readonly Segment[]; readonly whole: number } => {
  const known = stepsOpen + stepsSucceeded + stepsFailed;
  const whole = Math.max(known, planned ?? 0);
  const parts = [
    { name: 'succeeded', count: stepsSucceeded, color: 'var(--hf-fill-green)' },
    { name: 'failed', count: stepsFailed, color: 'var(--hf-fill-red)' },
    { name: 'open', count: stepsOpen, color: 'var(--hf-fill-blue)' },
    { name: 'to come', count: whole - known, color: 'var(--hf-line)' },
  ];
  return { parts: parts.filter(({ count, name }) => count > 0 || name === 'succeeded'), whole };
};
