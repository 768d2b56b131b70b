import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { defineTool, ToolFailure } from '@holdfast/sdk';
import { z } from 'zod';
import { boundText } from './bound-text.js';
import { DOCUMENTS_ROOT, fromEnvironment } from './environment.js';

/** What the next steps need of a text; histories keep it, so it is bounded. */
const TEXT_BYTES_MAX = 16 * 1024;

/** Reads a file. Changes nothing, so it may be run as often as one likes. */
export const readDocument = defineTool({
  name: 'read-document',
  version: '1',
  input: z.object({ document: z.string().min(1) }),
  output: z.object({ text: z.string(), bytes: z.int(), sha256: z.string() }),
  replay: 'pure',
  timeoutMs: 5_000,
  run: async ({ document }) => {
    const bytes = await readFile(pathOf(document)).catch((cause: NodeJS.ErrnoException) => {
      throw new ToolFailure(`${document} cannot be read: ${cause.message}`, {
        code: 'unreadable',
        retry: cause.code === 'ENOENT' ? 'never' : 'later',
        effect: 'none',
        cause,
      });
    });
    return {
      text: boundText(bytes, TEXT_BYTES_MAX),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
  },
});

const pathOf = (document: string): string => {
  const root = resolve(fromEnvironment(DOCUMENTS_ROOT));
  const path = resolve(root, document);
  if (path.startsWith(root + sep)) return path;
  throw new ToolFailure(`${document} is not under ${root}`, { code: 'outside', retry: 'never', effect: 'none' });
};
