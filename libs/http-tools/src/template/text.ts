import { parseText, type Json } from '@holdfast/programs';
import { SecretReferenceProblem, withReferencedSecrets } from '@holdfast/sdk';
import { refuse, type Place } from '../place.js';
import { readReference, type Reference, type Root } from './reference.js';

/** A text in parts: what stands there, secrets included, and what is filled in. */
export type Text = readonly (string | Reference)[];

const SECRET = /(\$\{env:[^}]*\})/;

/** Reads `Order {args.order}` and `Token ${env:NAME}`; `{{` is a brace. What a secret holds is never read as a template. */
export const readText = (raw: string, roots: readonly Root[], place: Place): Text =>
  // The captured references to secrets are at the odd positions.
  raw
    .split(SECRET)
    .flatMap((piece, at) => (at % 2 === 1 ? [secretText(piece, place)] : readPlain(piece, roots, place)));

const readPlain = (raw: string, roots: readonly Root[], place: Place): Text => {
  const parts = parseText(raw);
  if (parts === undefined) return refuse(place, 'a { is not closed; a brace that is meant is written {{');
  return parts.flatMap((part): Text => {
    if ('from' in part) return [readReference(part.from, roots, place)];
    return part.plain === '' ? [] : [part.plain];
  });
};

/** A text that is nothing but a reference to a secret, or has such references in it: `{ $env: NAME }`, `Token ${env:NAME}`. */
export const secretText = (value: Json, place: Place): string => {
  try {
    const found = withReferencedSecrets(value);
    return typeof found === 'string' ? found : refuse(place, 'must be a text, or { $env: NAME }');
  } catch (error) {
    if (!(error instanceof SecretReferenceProblem)) throw error;
    return refuse(error.at === '' ? place : `${place}.${error.at}`, error.problem);
  }
};
