import type { ModelRequest } from '@holdfast/programs';
import type { Reply } from './reply.js';
import type { Usage } from './script.js';

const BYTES_PER_TOKEN = 4;

/**
 * Tokens out of lengths: in, the UTF-8 bytes of instructions, messages, tools and answer schema as JSON, divided by four
 * and rounded up; out, the same of the text and the calls. So the same exchange always counts the same.
 */
export const usageOf = ({ instructions, messages, tools, answer }: ModelRequest, { text, calls }: Reply): Usage => ({
  tokensIn: tokensOf({ instructions, messages, tools, answer }),
  tokensOut: tokensOf({ text, calls }),
});

const tokensOf = (value: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_PER_TOKEN);
