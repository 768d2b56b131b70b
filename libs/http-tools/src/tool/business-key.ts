import { canonicalJson } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { sha256 } from '@holdfast/sdk';
import { CannotFill } from '../template/template.js';
import { at, type Pointer } from '../template/pointer.js';

/**
 * The key of a call by what it is about: the same for the same values of these arguments, whatever else stands beside
 * them and in whatever order, in every attempt, step and run.
 */
export const businessKey = (tool: string, from: readonly Pointer[], args: Json): string => {
  const parts = from.map((pointer): readonly [string, Json] => {
    const value = at(pointer, args);
    if (value === undefined)
      throw new CannotFill(`${pointer.text} is not among the arguments, and the key is made of it`);
    return [pointer.text, value];
  });
  return sha256(canonicalJson({ tool, from: Object.fromEntries(parts) }));
};
