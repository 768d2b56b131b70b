import { pieces } from '../format/sentence.js';
import { Moment } from './times.js';

/** A sentence of the runtime, with its moments in the viewer's zone. */
export const Sentence = ({ text }: { readonly text: string }) =>
  pieces(text).map(({ text: piece, at }, index) => (at === null ? piece : <Moment key={index} at={at} />));
