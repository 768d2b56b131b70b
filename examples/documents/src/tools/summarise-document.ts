import { defineTool } from '@holdfast/sdk';
import { z } from 'zod';
import { boundText } from './bound-text.js';
import { summarise, SUMMARY_BYTES_MAX } from './summary.js';

const SENTENCES_MAX = 2;

/** Stands for a call of a model: running it again costs, but harms nothing. */
export const summariseDocument = defineTool({
  name: 'summarise',
  version: '1',
  input: z.object({ text: z.string() }),
  output: z.object({ summary: z.string() }),
  replay: 'repeatable',
  timeoutMs: 5_000,
  run: ({ text }) => ({ summary: boundText(Buffer.from(summarise(text, SENTENCES_MAX)), SUMMARY_BYTES_MAX) }),
});
