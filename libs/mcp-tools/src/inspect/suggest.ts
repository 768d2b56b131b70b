import type { ReplayPolicy } from '@holdfast/events';
import type { ToolSettings } from '../section/section.js';
import type { OfferedTool } from '../server/offered.js';

/** What can be said of a tool by its own description, for a person who decides. */
export type Suggestion = {
  readonly tool: string;
  /** In words; empty where the server says nothing. Nobody has checked them. */
  readonly hints: readonly string[];
  readonly policy: ReplayPolicy;
  /** Whether the file says it already. */
  readonly decided: boolean;
  /** What to think of before the policy is changed; empty where there is nothing. */
  readonly remark: string;
  /** Whether a person should approve its calls. */
  readonly approval: boolean;
};

export const suggest = (
  tools: readonly OfferedTool[],
  decided: Readonly<Record<string, ToolSettings>>,
): readonly Suggestion[] => tools.map((tool) => suggestionFor(tool, tools, decided[tool.name]));

const suggestionFor = (
  tool: OfferedTool,
  all: readonly OfferedTool[],
  decided: ToolSettings | undefined,
): Suggestion => {
  const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations ?? {};
  const hints = [
    ...(readOnlyHint === true ? ['read-only'] : []),
    ...(readOnlyHint === false ? ['changes something'] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? ['destructive'] : []),
    ...(idempotentHint === true && readOnlyHint !== true ? ['idempotent'] : []),
  ];
  const base = { tool: tool.name, hints, approval: destructiveHint === true && readOnlyHint !== true };
  if (decided !== undefined) return { ...base, policy: decided.policy, decided: true, remark: '' };
  if (readOnlyHint === true) return { ...base, policy: 'repeatable', decided: false, remark: '' };
  return { ...base, policy: 'unprotected', decided: false, remark: remarkOn(tool, all) };
};

const KEY = /^(?:idempotency_?key|request_?id|client_?token|dedup(?:lication)?_?(?:id|key))$/i;

const remarkOn = (tool: OfferedTool, all: readonly OfferedTool[]): string => {
  const key = argumentsOf(tool).find((name) => KEY.test(name));
  if (key !== undefined) return `keyed, with keyArgument: ${key} and keyTtlMs, if the server drops repeats of it`;
  const reader = readerFor(tool, all);
  if (reader !== undefined) return `verifiable, if ${reader.name} shows what it has done (readBack)`;
  if (tool.annotations?.idempotentHint === true)
    return 'repeatable, if a repeat of the same call really changes nothing';
  return '';
};

const argumentsOf = ({ inputSchema }: OfferedTool): readonly string[] => Object.keys(inputSchema['properties'] ?? {});
const needsOf = ({ inputSchema }: OfferedTool): readonly string[] =>
  (inputSchema['required'] ?? []) as readonly string[];

/** A tool that reads and needs nothing that the writing one is not given, of which it needs at least one thing. */
const readerFor = (tool: OfferedTool, all: readonly OfferedTool[]): OfferedTool | undefined => {
  const given = new Set(argumentsOf(tool));
  return all.find((other) => {
    const needs = needsOf(other);
    return other.annotations?.readOnlyHint === true && needs.length > 0 && needs.every((name) => given.has(name));
  });
};
