import { z } from 'zod';

/** The longest answer of a tool, in characters of JSON. Models read all of it, and clients cut what is longer. */
export const ANSWER_MAX = 60_000;
/** So much of a part is read at a time. */
export const CHUNK = 16_000;
const BEGINNING = 300;

export const PARTS = [
  ...(['program', 'input', 'output', 'report', 'tools'] as const),
  ...(['args', 'result'] as const),
  ...(['escalation'] as const),
  ...(['inputSchema', 'outputSchema'] as const),
] as const;
export type Part = (typeof PARTS)[number];

/** What `read_part` is called with for a part that was too large to be shown. */
export const partRefSchema = z.object({
  part: z.enum(PARTS),
  runId: z.string().optional(),
  stepId: z.string().optional(),
  escalation: z.int().optional(),
  tool: z.string().optional(),
});
export type PartRef = z.infer<typeof partRefSchema>;

/** A value of any size: as it is, or how it begins and how the rest is read. */
export const partSchema = z.object({
  value: z.unknown().optional(),
  omitted: z
    .object({ characters: z.int(), begins: z.string(), readPartWith: partRefSchema })
    .optional()
    .describe('it is too large to be shown here: call read_part with these arguments'),
});
export type PartView = z.infer<typeof partSchema>;

/** The value, where its JSON has at most so many characters. */
export const partOf = (value: unknown, most: number, ref: PartRef): PartView => {
  const text = JSON.stringify(value ?? null);
  if (text.length <= most) return { value: value ?? null };
  return { omitted: { characters: text.length, begins: cut(text, 0, BEGINNING), readPartWith: ref } };
};

/** A text of at most about so many characters, which says where something is missing. */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${cut(text, 0, most)}… (${text.length} characters in all)`;

export const clipOrNull = (text: string | null, most: number): string | null =>
  text === null ? null : clip(text, most);

/** A piece of a text that ends in no half character. */
export const cut = (text: string, from: number, most: number): string => {
  const piece = text.slice(from, from + most);
  return /[\uD800-\uDBFF]$/.test(piece) && from + most < text.length ? piece.slice(0, -1) : piece;
};
