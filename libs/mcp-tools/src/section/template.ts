import { follow, parseText, type Json, type Resolved } from '@holdfast/programs';

/** What a template may name. */
export type Values = Readonly<Record<string, Json>>;

const PATH = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/;
const segmentsOf = (path: string): readonly string[] => path.split(/[.[\]]+/).filter((segment) => segment !== '');

/** What is wrong with a template, or null: each `{…}` in its texts must be a path that begins with one of the roots. */
export const templateProblem = (template: Json, roots: readonly string[]): string | null => {
  if (typeof template === 'string') return textProblem(template, roots);
  if (typeof template !== 'object' || template === null) return null;
  for (const part of Object.values(template)) {
    const problem = templateProblem(part as Json, roots);
    if (problem !== null) return problem;
  }
  return null;
};

const textProblem = (text: string, roots: readonly string[]): string | null => {
  const parts = parseText(text);
  if (parts === undefined) return `a { is not closed in ${JSON.stringify(text)}; a brace that is meant is written {{`;
  const wrong = parts.find((part) => 'from' in part && !isPath(part.from, roots));
  if (wrong === undefined || 'plain' in wrong) return null;
  return `{${wrong.from}} must begin with ${roots.join(', ')}; a brace that is meant is written {{`;
};

const isPath = (path: string, roots: readonly string[]): boolean =>
  PATH.test(path) && roots.includes(segmentsOf(path)[0] ?? '');

/** The template with each `{…}` replaced; a text that is nothing but one `{…}` becomes the value itself. */
export const filled = (template: Json, values: Values): Resolved => {
  if (typeof template === 'string') return filledText(template, values);
  if (typeof template !== 'object' || template === null) return { value: template };
  const entries: [string, Json][] = [];
  for (const [key, part] of Object.entries(template)) {
    const resolved = filled(part as Json, values);
    if ('problem' in resolved) return resolved;
    entries.push([key, resolved.value]);
  }
  return { value: Array.isArray(template) ? entries.map(([, value]) => value) : Object.fromEntries(entries) };
};

const filledText = (template: string, values: Values): Resolved => {
  const parts = (parseText(template) ?? [{ plain: template }]).filter((part) => 'from' in part || part.plain !== '');
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'from' in only) return valueAt(only.from, values);
  let text = '';
  for (const part of parts) {
    const resolved: Resolved = 'plain' in part ? { value: part.plain } : valueAt(part.from, values);
    if ('problem' in resolved) return resolved;
    text += typeof resolved.value === 'object' ? JSON.stringify(resolved.value) : String(resolved.value);
  }
  return { value: text };
};

/** The value that a path leads to. */
export const valueAt = (path: string, values: Values): Resolved => follow(values, segmentsOf(path), path);
