import type { z } from 'zod';
import type { Logger } from '../ports.js';
import { InvalidTool } from './invalid-tool.js';
import type { Tool } from './tool.js';

/** Where a section of a tool file stands. Paths in it are taken from `directory`. */
export type SectionSurroundings = { readonly file: string; readonly directory: string; readonly logger: Logger };

/** The tools of one section; `close` ends what they keep open. */
export type SectionTools = { readonly tools: readonly Tool[]; close?(): Promise<void> };

/** What a library exports under this name, so that a section of tool files is its own. */
export type ToolsFromSection = (section: unknown, surroundings: SectionSurroundings) => Promise<SectionTools>;

/**
 * The section as its schema reads it. Throws `InvalidTool` with a line for each problem, which begins with its place:
 * `http.tools[0].url: …`.
 */
export const checkSection = <T>(name: string, schema: z.ZodType<T>, section: unknown): T => {
  const read = schema.safeParse(section);
  if (read.success) return read.data;
  throw new InvalidTool(problemLines(name, read.error.issues, section).join('\n'));
};

type Issue = z.core.$ZodIssue;

const problemLines = (name: string, issues: readonly Issue[], value: unknown): readonly string[] => [
  ...new Set(issues.flatMap((issue) => lineOf(name, issue, value))),
];

const lineOf = (name: string, issue: Issue, value: unknown): readonly string[] => {
  const at = placeIn(name, issue.path);
  const given = issue.path.reduce<unknown>(partOf, value);
  // What a schema says in words of its own stays as it is.
  if (given === undefined && issue.message.startsWith('Invalid ')) return [`${at}: is missing`];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${placeIn(at, [key])}: is not known here`);
  // The alternative that came furthest is the one that was meant.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const deepest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0] ?? [];
    if (depth(deepest) > 0) return problemLines(at, deepest, given);
  }
  return [`${at}: ${issue.message}`];
};

const partOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
    : undefined;

const depth = (issues: readonly Issue[]): number =>
  Math.max(0, ...issues.map(({ code, path }) => path.length + (code === 'unrecognized_keys' ? 1 : 0)));

/** `http` and `tools`, 0, `url` are `http.tools[0].url`. */
const placeIn = (at: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>((found, key) => (typeof key === 'number' ? `${found}[${key}]` : `${found}.${String(key)}`), at);
