import { chooseDocuments } from './listing.js';

const files = [
  'b/README.md',
  'b/index.js',
  'a/LICENSE',
  'a/notes.txt',
  'B/CHANGELOG',
  'a/index.d.ts',
  'a/license.js',
  'c/data.json',
];

describe('choosing documents', () => {
  it('takes Markdown, licence and text files in the order of their paths', () =>
    expect(chooseDocuments('/root', files, 3).documents).toStrictEqual(['B/CHANGELOG', 'a/LICENSE', 'a/notes.txt']));

  it('takes other text files after them when there is not enough prose, and says how many are prose', () =>
    expect(chooseDocuments('/root', files, 5)).toStrictEqual({
      root: '/root',
      documents: ['B/CHANGELOG', 'a/LICENSE', 'a/notes.txt', 'b/README.md', 'a/index.d.ts'],
      prose: 4,
    }));

  it('never takes code', () => {
    const all = chooseDocuments('/root', files, 100).documents;
    expect(all).not.toContain('b/index.js');
    expect(all).not.toContain('a/license.js');
  });
});
