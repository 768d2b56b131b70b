import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder, but those that people would keep secrets in. */
export const filesBelow = (folder: string, isLeftOut: (path: string) => boolean): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !isLeftOut(path));

/** Where a text stands in files, byte for byte: `file: text`. */
export const findBytes = async (files: readonly string[], texts: readonly string[]): Promise<readonly string[]> => {
  const needles = texts.map((text) => ({ text, bytes: Buffer.from(text) }));
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length));
  const found = new Set<string>();
  for (const file of files) {
    let before = Buffer.alloc(0);
    try {
      for await (const chunk of createReadStream(file, { highWaterMark: 4 * 1024 * 1024 })) {
        const window = Buffer.concat([before, chunk as Buffer]);
        for (const { text, bytes } of needles) if (window.includes(bytes)) found.add(`${file}: ${text}`);
        before = window.subarray(Math.max(0, window.length - overlap));
      }
    } catch (error) {
      // Servers that run take files away.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return [...found];
};

/** A secret as it could stand in bytes: as it is, in JSON, in a URL, and in base64 wherever it begins there. */
export const waysToWrite = (value: string): readonly string[] => {
  const at = (before: string) =>
    Buffer.from(`${before}${value}`)
      .toString('base64')
      .slice(before.length === 0 ? 0 : 4, -4);
  const quoted = JSON.stringify(value).slice(1, -1);
  const encoded = [encodeURIComponent(value), new URLSearchParams([['', value]]).toString().slice(1)];
  const small = encoded.map((text) => text.replaceAll(/%../g, (code) => code.toLowerCase()));
  const ascii = quoted.replaceAll(/[\u0080-\uFFFF]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [...new Set([value, quoted, ascii, ...encoded, ...small, at(''), at('1'), at('12')])];
};
