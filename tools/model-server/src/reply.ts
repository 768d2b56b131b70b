import type { ModelCall } from '@holdfast/programs';
import type { Asked, ScriptedReply, Usage } from './script.js';
import { usageOf } from './usage.js';

/** A reply with everything that the wire needs. */
export type Reply = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: string;
};
export type Counted = Reply & { readonly usage: Usage };

/** Fills in what a script has left out; ids follow from the hash of the request. */
export const completed = (scripted: ScriptedReply, asked: Asked, hash: string): Counted => {
  const calls = (scripted.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${hash.slice(0, 12)}_${index}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
  const reply = {
    id: hash.slice(0, 24),
    model: asked.model,
    text: scripted.text ?? '',
    calls,
    finish: scripted.finish ?? (calls.length > 0 ? 'calls' : 'answer'),
  };
  return { ...reply, usage: scripted.usage ?? usageOf(asked, reply) };
};

const PIECE = 16;

/** A text in pieces, as it is streamed; whole characters each. */
export const piecesOf = (text: string): readonly string[] => {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / PIECE);
  return Array.from({ length: count }, (_, at) => characters.slice(at * PIECE, (at + 1) * PIECE).join(''));
};
