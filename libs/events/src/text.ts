import { cut } from '@holdfast/programs';

export { cut };

/** The beginning of a text, with `…` where something is missing. */
export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${cut(text, length)}…`;
