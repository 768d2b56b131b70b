import type { ModelCall, ModelReply } from '@holdfast/programs';
import { boundText } from '@holdfast/sdk';

/** What an endpoint has said, before it is read as an answer. */
export type Assembled = {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: ModelReply['finish'];
  readonly usage: ModelReply['usage'];
  readonly model: string | undefined;
};

/**
 * The reply. Calls count only where the model has finished asking for them: what was cut off may be half a call. Ids that
 * are missing or twice are made up by place, since each call needs one of its own.
 */
export const replyOf = ({ text, calls, finish, usage, model }: Assembled): ModelReply => ({
  text,
  calls: finish === 'calls' ? named(calls) : [],
  // That it wants calls, and names none, says nothing.
  finish: finish === 'calls' && calls.length === 0 ? 'other' : finish,
  usage,
  ...(model === undefined || model === '' ? {} : { model }),
});

const named = (calls: readonly ModelCall[]): ModelCall[] => {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id === '' || seen.has(call.id) ? `call_${index}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
};

/** A count of tokens, if it is one. */
export const tokensOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/** A filter that looks at what is asked answers with an error status, and means the same as one that looks at answers. */
export const filtered: ModelReply = { text: '', calls: [], finish: 'filtered', usage: { tokensIn: 0, tokensOut: 0 } };

const SHOWN_BYTES = 300;

/** The beginning of what came instead of an answer. */
export const shown = (value: unknown): string =>
  boundText(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'), SHOWN_BYTES);
