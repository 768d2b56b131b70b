import type { z } from 'zod';
import { agentToolKinds } from '../agent/agent.js';
import { agentProgramSchema, planOfAgent } from '../agent/program.js';
import { DEPTH_MAX, isDeeper } from '../json.js';
import { nodeKinds, planSchema, type Plan } from '../plan.js';
import { placeOf, type PlanProblem } from './problem.js';

type Issue = z.core.$ZodIssue;

/** Reads a program that came from outside, a plan or an agent, as a plan. Problems name their place in it. */
export const parsePlan = (value: unknown): { readonly plan: Plan } | { readonly problems: readonly PlanProblem[] } => {
  if (isDeeper(value, DEPTH_MAX)) {
    const message = `values can be nested ${DEPTH_MAX} deep at most`;
    return { problems: [{ at: '', code: 'nested_too_deep', message }] };
  }
  const parsed = isAgentProgram(value) ? agentProgramSchema.safeParse(value) : planSchema.safeParse(value);
  if (parsed.success) return { plan: parsed.data.kind === 'agent' ? planOfAgent(parsed.data) : parsed.data };
  return { problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, '', value)) };
};

const isAgentProgram = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'agent';

const problemsOf = (issue: Issue, at: string, value: unknown): readonly PlanProblem[] => {
  const place = issue.path.reduce<string>(
    (found, key) => placeOf(found, typeof key === 'symbol' ? String(key) : key),
    at,
  );
  const there = issue.path.reduce<unknown>(entryOf, value);
  if (issue.code === 'invalid_union') {
    const kinds = kindsAt(issue);
    const meant = kinds && issue.errors[kindMeant(there, kinds)];
    if (meant !== undefined) return meant.flatMap((inner) => problemsOf(inner, place, there));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      at: placeOf(place, key),
      code: 'malformed',
      message: `${key} is not known here`,
    }));
  }
  return [{ at: place, code: 'malformed', message: issue.message }];
};

// Nodes, and the tools of an agent, are of several kinds; the other unions are JSON values, whose branches tell nothing.
const kindsAt = (issue: Extract<Issue, { code: 'invalid_union' }>): readonly string[] | undefined => {
  const kinds = issue.path.at(-2) === 'tools' ? agentToolKinds : nodeKinds;
  const list = issue.path.at(-2);
  return (list === 'steps' || list === 'tools') && issue.errors.length === kinds.length ? kinds : undefined;
};

/** Which kind a value is meant to be: the first one, unless it has the field of another one. */
const kindMeant = (value: unknown, kinds: readonly string[]): number => {
  const known = kinds.findLastIndex((key) => typeof value === 'object' && value !== null && Object.hasOwn(value, key));
  return Math.max(0, known);
};

const entryOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
