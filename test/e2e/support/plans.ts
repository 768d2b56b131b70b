import { TIMEOUT_MS as HELD_MS } from '@holdfast/matrix';
import type { Json, Plan, PlanStep } from '@holdfast/programs';
import type { Conduct } from './conduct.js';

type More = Partial<Omit<PlanStep, 'id' | 'tool' | 'args'>>;
export type Effect = More & { readonly conduct?: readonly Conduct[]; readonly blind?: number };

/** For a call that is left to itself. */
const TIMEOUT_MS = 20_000;

/** A step that makes an effect in the ledger under the name `run/step`. */
export const effect = (tool: string, id: string, { conduct = ['ok'], blind = 0, ...more }: Effect = {}): PlanStep => ({
  id,
  tool: `${tool}@1`,
  args: { name: { $text: `{input.run}/${id}` }, conduct: [...conduct], blind },
  // What the test releases is ended by no clock, however long it takes to bring about what is to happen before.
  timeoutMs: conduct[0] === 'wait' ? HELD_MS : TIMEOUT_MS,
  ...more,
});

export const step = (id: string, tool: string, args: Json, more: More = {}): PlanStep => ({
  id,
  tool: `${tool}@1`,
  args,
  timeoutMs: TIMEOUT_MS,
  ...more,
});

export const from = (reference: string): Json => ({ $from: reference });

export const plan = (steps: Plan['steps'], more: Partial<Omit<Plan, 'kind' | 'steps'>> = {}): Plan => ({
  kind: 'plan',
  steps: [...steps],
  ...more,
});

/** Effects one after the other. */
export const chain = (tool: string, count: number, more: Effect = {}): Plan =>
  plan(
    Array.from({ length: count }, (_, index) =>
      effect(tool, `s${index}`, { ...more, ...(index === 0 ? {} : { after: [`s${index - 1}`] }) }),
    ),
  );

export const namesOf = (runId: string, program: Plan): readonly string[] =>
  program.steps.map(({ id }) => `${runId}/${id}`);
