import type { Program } from '@holdfast/chaos';
import type { Json, Plan, PlanStep } from '@holdfast/programs';
import type { Conduct } from './ledger/conduct.js';

/** The tool of each replay policy. */
const TOOL_OF = {
  pure: 'observe',
  repeatable: 'draft',
  keyed: 'pay',
  verifiable: 'file',
  unprotected: 'post',
} as const;
export type Policy = keyof typeof TOOL_OF;
export const policies = Object.keys(TOOL_OF) as readonly Policy[];

/** Long enough for a busy machine, and as long as a doubt of an unprotected step waits before a person is asked. */
const TIMEOUT_MS = 2_000;

/** Some calls last, so that they are under way when a process is struck; one has its answer dropped. */
const CONDUCTS: readonly Conduct[] = ['ok', 'slow:60', 'apply-drop', 'slow:350', 'slow:60', 'ok', 'slow:350', 'ok'];
/** After an answer that was dropped nobody can tell what an unprotected tool did but a person, and a pure one fails. */
const ANSWERS_DROPPED: ReadonlySet<Policy> = new Set(['keyed', 'verifiable', 'repeatable']);

const conductOf = (policy: Policy, conduct: Conduct): readonly Conduct[] =>
  conduct === 'apply-drop' && !ANSWERS_DROPPED.has(policy) ? ['ok'] : [conduct, 'ok'];

/** Effects of one tool, one after the other, each under a name of its own in the ledger. */
export const chainOf = (tool: string, conducts: readonly (readonly Conduct[])[]): Plan => ({
  kind: 'plan',
  steps: conducts.map((conduct, index): PlanStep => {
    const id = `s${index}`;
    return {
      id,
      tool: `${tool}@1`,
      args: { name: { $text: `{input.run}/${id}` }, conduct: [...conduct] },
      ...(index === 0 ? {} : { after: [`s${index - 1}`] }),
      timeoutMs: TIMEOUT_MS,
      // Strikes are not the tool's fault, however many there are.
      deathsMax: 50,
      retry: { triesMax: 50, backoffMs: 100, factor: 1 },
    };
  }),
});

export const programOf = (name: string, plan: Plan): Program => ({
  name,
  plan,
  input: (runId): Json => ({ run: runId }),
});

/** Five runs, one for each replay policy. */
export const workload: readonly Program[] = policies.map((policy) =>
  programOf(
    policy,
    chainOf(
      TOOL_OF[policy],
      CONDUCTS.map((conduct) => conductOf(policy, conduct)),
    ),
  ),
);
