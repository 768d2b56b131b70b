export type JsonToken = { readonly kind: 'key' | 'string' | 'number' | 'word' | 'plain'; readonly text: string };

const pattern = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** A value as JSON text, in pieces with what they are. */
export const jsonTokens = (text: string): readonly JsonToken[] => {
  const tokens: JsonToken[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, quoted, colon] = match;
    if (match.index > at) tokens.push({ kind: 'plain', text: text.slice(at, match.index) });
    if (quoted !== undefined) {
      tokens.push({ kind: colon === undefined ? 'string' : 'key', text: quoted });
      if (colon !== undefined) tokens.push({ kind: 'plain', text: colon });
    } else tokens.push({ kind: match[3] === undefined ? 'word' : 'number', text: whole });
    at = match.index + whole.length;
  }
  if (at < text.length) tokens.push({ kind: 'plain', text: text.slice(at) });
  return tokens;
};
