import { TURN_TEXT_MAX, type TurnView } from '@holdfast/api';
import { shorten } from '@holdfast/events';
import type { TranscriptTurn } from '@holdfast/explain';
import type { Json } from '@holdfast/programs';

/** A turn as it is shown, with long texts cut: a page of them would be as large as all that an agent has read. */
export const turnView = ({ text, calls, answer, ...turn }: TranscriptTurn): TurnView => ({
  ...turn,
  text: shorten(text, TURN_TEXT_MAX),
  answer: bounded(answer),
  calls: calls.map((call) => ({
    ...call,
    arguments: shorten(call.arguments, TURN_TEXT_MAX),
    said: bounded(call.said),
  })),
});

const bounded = (value: Json): Json => {
  if (typeof value === 'string') return shorten(value, TURN_TEXT_MAX);
  const text = JSON.stringify(value);
  return text.length <= TURN_TEXT_MAX ? value : shorten(text, TURN_TEXT_MAX);
};
