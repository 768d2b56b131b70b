import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the repository: its path from the root, and its text. */
export type SourceFile = { readonly path: string; readonly text: string };

const root = fileURLToPath(new URL('../..', import.meta.url));
const made = new Set(['node_modules', 'dist', 'coverage', '.git', '.holdfast', '.nx', 'package-lock.json', 'LICENSE']);
const textual =
  /(^|\/)(\.[a-z]+|[a-z]+)$|\.(ts|tsx|mts|js|mjs|json|jsonl|md|xml|sh|yml|yaml|txt|html|css|properties)$/i;

/** All files that people write, committed or not: a rule bites before the commit. */
export const allFiles = (folder = ''): SourceFile[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !made.has(name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return allFiles(path);
      return textual.test(path) ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : [];
    });

const stringOrComment = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** The code without its comments. Lines stay where they are. */
export const withoutComments = (text: string): string =>
  text.replace(stringOrComment, (match) => (match.startsWith('/') ? match.replace(/[^\n]/g, '') : match));

/** The code without comments and without the text of plain strings, for rules about words. */
export const codeOnly = (text: string): string =>
  withoutComments(text).replace(stringOrComment, (match, plain: string | undefined) => (plain ? "''" : match));
