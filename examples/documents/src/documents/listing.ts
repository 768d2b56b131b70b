import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Real files to work on: paths relative to their root, with `/` between folders. */
export type Listing = {
  readonly root: string;
  readonly documents: readonly string[];
  /** How many of them are prose; the rest are other text files, taken because there was not enough prose. */
  readonly prose: number;
};

/** The first `count` documents under a folder. Throws a sentence for people when there are too few. */
export const listDocuments = async (root: string, count: number): Promise<Listing> => {
  const files = await filesUnder(root, '');
  const listing = chooseDocuments(root, files, count);
  if (listing.documents.length < count) {
    throw new Error(`${root} holds ${listing.documents.length} text files, but ${count} documents are wanted`);
  }
  return listing;
};

/** Markdown, licence and plain text files first, sorted; then other text files, sorted. */
export const chooseDocuments = (root: string, files: readonly string[], count: number): Listing => {
  const prose = files.filter(isProse).sort(byCodeUnits).slice(0, count);
  const others = files.filter((file) => !isProse(file) && isText(file)).sort(byCodeUnits);
  return { root, documents: [...prose, ...others.slice(0, count - prose.length)], prose: prose.length };
};

const PROSE = /\.(md|markdown|mdx|txt|text|rst)$/i;
const LICENCE = /^(licen[cs]e|copying|notice|authors|readme|changelog|history)([.-]|$)/i;
const TEXT = /\.(d\.[cm]?ts|json|ya?ml|toml|html?|css)$/i;

const isProse = (file: string): boolean => PROSE.test(file) || (LICENCE.test(nameOf(file)) && !CODE.test(file));
const CODE = /\.([cm]?[jt]s|map|json)$/i;
const isText = (file: string): boolean => TEXT.test(file);
const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1);
// Not by locale: the same files must come in the same order on every machine.
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

// Links are not followed, so the workspaces under node_modules, which come and go with the work on them, stay out.
const filesUnder = async (root: string, under: string): Promise<readonly string[]> => {
  const entries = await readdir(join(root, under), { withFileTypes: true });
  const nested = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const path = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : filesUnder(root, path);
      return entry.isFile() && !entry.name.startsWith('.') ? [path] : [];
    }),
  );
  return nested.flat();
};
