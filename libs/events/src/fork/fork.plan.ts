import {
  agentStepAt,
  begin,
  given,
  isDependent,
  isRun,
  leafAt,
  ProgramError,
  type Json,
  type Progress,
} from '@holdfast/programs';
import type { HistoryRecord } from '../record/record.js';
import { runFacts, type ForkEffect, type RunFacts, type StepFact } from './fork.facts.js';

export type ForkWish = {
  /** Done again with all that waits for it; null: only what has not succeeded. */
  readonly from: string | null;
  /** Steps whose effects may be made again: `file[17].write`, or `file[*].write` for that step of every item. */
  readonly repeat: readonly string[];
};

/** A step that a fork would do again. `free`: nothing outside changes twice; `ask`: only where it is named. */
export type ForkStep = {
  readonly stepId: string;
  readonly tool: string;
  readonly policy: StepFact['policy'];
  readonly effect: ForkEffect;
  readonly repeat: 'free' | 'ask';
  readonly why: string;
};

export type ForkPlan = {
  readonly runId: string;
  readonly seq: number;
  readonly from: string | null;
  /** Steps whose results are taken over, in the order in which they succeeded. */
  readonly kept: readonly string[];
  /** Those of its steps that were begun, or done, and are done again. */
  readonly again: readonly ForkStep[];
  readonly progress: Progress;
  /** Why it cannot be done; null where it can. */
  readonly refused: string | null;
};

/**
 * What a new run would take over from one that is over, and what it would do again. Kept is what has succeeded and does
 * not wait for the step from which on everything is done again. A new run has new idempotency keys, so that nothing
 * recognises an effect that is made again: it is refused unless it is named. `records`: the whole history of the run.
 */
export const planFork = (records: readonly HistoryRecord[], wish: ForkWish): ForkPlan => {
  const facts = runFacts(records);
  const { runId } = facts.accepted;
  const { from } = wish;
  const base = { runId, seq: facts.seq, from };
  const nothing = { ...base, kept: [], again: [], progress: { nodes: {} } };
  if (facts.end === null) {
    return { ...nothing, refused: `run ${runId} is not over: two runs would do the same; cancel it first` };
  }
  const agent = from === null ? null : agentIn(facts, from);
  if (agent !== null) {
    const why = `${from} is a step of the agent ${agent}, which goes its own way: name the agent, or a step outside of it`;
    return { ...nothing, refused: why };
  }
  if (from !== null && !facts.steps.some(({ stepId }) => stepId === from || agentIn(facts, stepId) === from)) {
    const took =
      facts.accepted.fork === undefined ? '' : `; it took over what run ${facts.accepted.fork.runId} had done`;
    return { ...nothing, refused: `run ${runId} has never come to a step ${from}${took}` };
  }
  if (facts.undoing) {
    return {
      ...nothing,
      refused: `the effects of run ${runId} were undone or are to be: nothing of it can be taken over`,
    };
  }
  const { kept, crowded, progress } = takenOver(facts, from);
  const again = facts.steps
    .filter(({ stepId }) => !kept.has(stepId))
    .map((fact) => forkStep(fact, crowded.has(fact.stepId)));
  const taken = again.find(({ stepId, policy }) => policy === 'run' && namesItsRun(facts, stepId));
  if (taken !== undefined) {
    const why = `${taken.stepId} begins a run whose id the plan names, and that id is taken by the one it began before`;
    return { ...base, kept: [...kept], again, progress, refused: why };
  }
  const unnamed = again.filter(({ repeat, stepId }) => repeat === 'ask' && !isNamed(stepId, wish.repeat));
  return { ...base, kept: [...kept], again, progress, refused: unnamed.length === 0 ? null : silent(unnamed) };
};

/** The agent that a step belongs to. It is taken over whole, once it has answered, or begins anew. */
const agentIn = ({ accepted }: RunFacts, stepId: string): string | null => {
  try {
    return agentStepAt(accepted.program, stepId)?.agent ?? null;
  } catch (error) {
    // Whoever asks may name a step that the plan does not have.
    if (error instanceof ProgramError) return null;
    throw error;
  }
};

const takenOver = (facts: RunFacts, from: string | null) => {
  const { accepted, successes } = facts;
  const plan = { plan: accepted.program, input: accepted.input as Json };
  const kept = new Set<string>();
  const crowded = new Set<string>();
  let progress = accepted.fork?.progress ?? begin(plan.plan, plan.input);
  for (const { stepId, result } of successes) {
    if (agentIn(facts, stepId) !== null) continue;
    if (from !== null && (stepId === from || isDependent(plan.plan, stepId, from))) continue;
    // A place in the window, or what it waits for, may be missing where an earlier step is done again.
    const next = given(plan, progress, stepId, result);
    if (next === null) {
      crowded.add(stepId);
      continue;
    }
    progress = next;
    kept.add(stepId);
  }
  for (const { stepId } of facts.steps) {
    const agent = agentIn(facts, stepId);
    if (agent !== null && kept.has(agent)) kept.add(stepId);
    if (agent !== null && crowded.has(agent)) crowded.add(stepId);
  }
  return { kept, crowded, progress };
};

const namesItsRun = ({ accepted }: RunFacts, stepId: string): boolean => {
  const node = leafAt(accepted.program, stepId);
  return isRun(node) && node.run.runId !== undefined;
};

/** `crowded`: it had succeeded, and cannot be kept since what is done again stands in its place. */
const forkStep = (fact: StepFact, crowded: boolean): ForkStep => {
  const { repeat, why } = judged(fact);
  const beside = 'there is no place for it beside earlier items that are done again';
  return { ...fact, repeat, why: crowded ? `${why}; ${beside}` : why };
};

const judged = ({ policy, effect }: StepFact): Pick<ForkStep, 'repeat' | 'why'> => {
  if (policy === 'ask') return { repeat: 'free', why: 'a person is asked again' };
  if (policy === 'pure') return { repeat: 'free', why: 'it changes nothing outside' };
  if (policy === 'repeatable') return { repeat: 'free', why: 'it costs once more and harms nothing' };
  if (effect === 'none') return { repeat: 'free', why: 'nothing of it was done' };
  if (effect === 'in_doubt') return { repeat: 'ask', why: 'it may have been done, and nobody can say yet' };
  if (policy === 'run')
    return { repeat: 'ask', why: 'the run that it began has made effects, which another one repeats' };
  if (policy === 'keyed') return { repeat: 'ask', why: 'it was done, and the key of another run does not show it' };
  return { repeat: 'ask', why: 'it was done, and is done once more' };
};

/** Whether a repeat of the step is asked for by name. */
export const isNamed = (stepId: string, names: readonly string[]): boolean => {
  const every = stepId.replaceAll(/\[\d+\]/g, '[*]');
  return names.some((name) => name === stepId || (name.replaceAll(/\[\d+\]/g, '[*]') === every && fits(stepId, name)));
};

/** Level by level, where some of the indexes are named and others are not. */
const fits = (stepId: string, name: string): boolean => {
  const parts = stepId.split('.');
  const wanted = name.split('.');
  return wanted.every((part, at) => part === parts[at] || part === parts[at]?.replace(/\[\d+\]/, '[*]'));
};

const NAMED_MAX = 10;

const silent = (steps: readonly ForkStep[]): string => {
  const names = steps.slice(0, NAMED_MAX).map(({ stepId, why }) => `${stepId} (${why})`);
  const more = steps.length > NAMED_MAX ? ` and ${steps.length - NAMED_MAX} more` : '';
  const effects = steps.length === 1 ? '1 effect' : `${steps.length} effects`;
  return `${effects} would or might be made twice: ${names.join(', ')}${more}. Name the steps that may be repeated`;
};
