import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The failure cases of the field that are asserted here, by their numbers in the table of `docs/field-cases.md`. */
const CASES = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 27, 28, 29, 30, 31, 32, 33, 34, 37,
  38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66,
  67, 69, 71, 72, 73, 74, 77, 78, 79, 80, 81, 82, 83, 88, 89, 90, 91, 92, 93, 94, 95,
];

const here = fileURLToPath(new URL('.', import.meta.url));
const titlesIn = (file: string): readonly string[] =>
  [...readFileSync(`${here}${file}`, 'utf8').matchAll(/\b(?:describe|it)\(\s*'((?:case \d+:)[^']*)'/g)].map(
    ([, title]) => title ?? '',
  );
const titles = readdirSync(here)
  .filter((file) => file.endsWith('.spec.ts'))
  .flatMap((file) => titlesIn(file));

describe('the failure cases of the field', () => {
  it('each have exactly one test that is named after them', () => {
    const numbers = titles.map((title) => Number(/\d+/.exec(title)?.[0]));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(CASES);
  });

  it('are told in the document with the title of their test', () => {
    const text = readFileSync(`${here}../../docs/field-cases.md`, 'utf8').replace(/\s+/g, ' ');
    const missing = titles.filter((title) => !text.includes(title.replace(/^case (\d+): /, '')));
    expect(missing).toEqual([]);
  });
});
