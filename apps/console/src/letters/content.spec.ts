import { jsonTokens } from '../parts/json-tokens.js';
import { contentOf } from './content.js';

describe('the content of a dead letter', () => {
  it.each([
    [undefined, { kind: 'none' }],
    [
      { encoding: 'utf8' as const, text: '{"a":1}' },
      { kind: 'json', value: { a: 1 } },
    ],
    [
      { encoding: 'utf8' as const, text: '{"a":' },
      { kind: 'text', text: '{"a":' },
    ],
    [
      { encoding: 'base64' as const, text: '/w==' },
      { kind: 'bytes', text: '/w==' },
    ],
  ])('%j is shown as %j', (value, content) => {
    expect(contentOf(value)).toEqual(content);
  });
});

describe('JSON in colours', () => {
  it('is the same text, in pieces', () => {
    const text = JSON.stringify({ 'a "b"': ['x: 1', -2.5e3, true, null], c: {} }, null, 2);
    const tokens = jsonTokens(text);
    expect(tokens.map((token) => token.text).join('')).toBe(text);
    expect(tokens.filter(({ kind }) => kind !== 'plain').map(({ kind }) => kind)).toEqual([
      'key',
      'string',
      'number',
      'word',
      'word',
      'key',
    ]);
  });
});
