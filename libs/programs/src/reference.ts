const ROOTS = ['input', 'item', 'index', 'items', 'indexes', 'steps'] as const;
type Root = (typeof ROOTS)[number];

/**
 * Where a value comes from: `input.…`; `item.…` and `index` of the innermost `forEach`; `items.<id>.…` and
 * `indexes.<id>` of the enclosing `forEach` with that id; `steps.<id>.…` of the innermost scope that has such a step.
 */
export type Reference = {
  readonly text: string;
  readonly root: Root;
  /** The step or `forEach` that `steps`, `items` and `indexes` ask for; empty for the other roots. */
  readonly name: string;
  readonly path: readonly string[];
};

const FORM = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/;
const INDEX = /^(?:0|[1-9]\d*)$/;
const PLACEHOLDER = /(\{\{|\{[^{}]*\})/;

/** `steps.list.files[0].name` and `steps.list.files.0.name` are the same. Undefined when the text is no reference. */
export const parseReference = (text: string): Reference | undefined => {
  if (!FORM.test(text)) return undefined;
  const [first = '', ...rest] = text.split(/[.[\]]+/).filter((segment) => segment !== '');
  const root = ROOTS.find((known) => known === first);
  if (root === undefined) return undefined;
  if (root === 'input' || root === 'item' || root === 'index') return { text, root, name: '', path: rest };
  const [name, ...path] = rest;
  return name === undefined ? undefined : { text, root, name, path };
};

/** The position in an array that a segment stands for; undefined for anything but a plain decimal number. */
export const arrayIndex = (segment: string): number | undefined => (INDEX.test(segment) ? Number(segment) : undefined);

/** A piece of a `$text`: what stands there, or the text of a reference. */
export type TextPart = { readonly plain: string } | { readonly from: string };

/** `Read {item.name}` in parts; `{{` is a brace. Undefined when a brace is opened and not closed. */
export const parseText = (text: string): readonly TextPart[] | undefined => {
  const pieces = text.split(PLACEHOLDER);
  // The captured placeholders are at the odd positions.
  if (pieces.some((piece, at) => at % 2 === 0 && piece.includes('{'))) return undefined;
  return pieces.map((piece, at) => {
    if (at % 2 === 0) return { plain: piece };
    return piece === '{{' ? { plain: '{' } : { from: piece.slice(1, -1).trim() };
  });
};
