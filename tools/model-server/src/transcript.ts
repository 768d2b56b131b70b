import type { ModelMessage } from '@holdfast/programs';

/**
 * What an endpoint would refuse about the order of a transcript, in words; null if nothing. Calls are answered at once and
 * whole: one result for each, none twice, none that nobody asked for.
 */
export const transcriptProblem = (messages: readonly ModelMessage[]): string | null => {
  if (messages[0]?.role !== 'user') return 'the first message must be of the user';
  let open = new Set<string>();
  let answered = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (answered.has(message.callId)) return `messages[${at}]: call ${message.callId} has its result twice`;
      if (!open.delete(message.callId)) return `messages[${at}]: no call ${message.callId} was asked for just before`;
      answered.add(message.callId);
      continue;
    }
    if (open.size > 0) return `messages[${at}]: calls without a result before it: ${[...open].join(', ')}`;
    const calls = message.role === 'assistant' ? message.calls : [];
    open = new Set(calls.map(({ id }) => id));
    answered = new Set();
    if (open.size < calls.length) return `messages[${at}]: two calls have the same id`;
  }
  return open.size > 0 ? `calls without a result at the end: ${[...open].join(', ')}` : null;
};
