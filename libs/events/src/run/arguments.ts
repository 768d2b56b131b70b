import { argsOf, ProgramError, type Json } from '@holdfast/programs';
import { argsHash, type Digest } from '../canonical.js';
import { openStep } from './run.parts.js';
import type { RunState } from './run.state.js';

export type Arguments = { readonly args: Json } | { readonly problem: string };

/** The arguments that an open attempt was called with, rebuilt from the state and checked against its hash. */
export const argumentsIn = (
  run: RunState | undefined,
  of: { readonly runId: string; readonly stepId: string; readonly attempt: number },
  digest: Digest,
): Arguments => {
  const { runId, stepId, attempt } = of;
  if (run === undefined || run.status === 'ended') return { problem: `run ${runId} is not open` };
  const open = openStep(run, stepId)?.attempts.find((known) => known.attempt === attempt);
  if (open === undefined) return { problem: `attempt ${attempt} of ${stepId} is not open` };
  try {
    const resolved = argsOf(run.program, run.input, run.progress, stepId);
    if ('problem' in resolved || argsHash(digest, resolved.args) === open.argsHash) return resolved;
    return { problem: `the arguments of ${stepId} rebuilt from history do not have the hash of its attempt` };
  } catch (error) {
    if (error instanceof ProgramError) return { problem: error.message };
    throw error;
  }
};
