/** One message of a stream of server-sent events. */
export type SseMessage = { readonly event: string; readonly data: string; readonly id: string | null };

export type SseReading = { readonly rest: string; readonly messages: readonly SseMessage[] };

/**
 * Reads what has arrived: whole messages, and the rest that waits for more. Comments and unknown fields are passed over,
 * as the standard has it.
 */
export const readSse = (text: string): SseReading => {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  return { rest, messages: blocks.flatMap(messageOf) };
};

const messageOf = (block: string): SseMessage[] => {
  const data: string[] = [];
  let event = 'message';
  let id: string | null = null;
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    if (field === 'id') id = value;
  }
  return data.length === 0 && id === null && event === 'message' ? [] : [{ event, data: data.join('\n'), id }];
};

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** Pause before the next try after so many in vain. */
export const pauseBefore = (failures: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
