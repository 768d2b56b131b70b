export type Piece = { readonly text: string; readonly at: number | null };

const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence in pieces: text, and the moments in it, which are written for all zones alike. */
export const pieces = (sentence: string): readonly Piece[] => {
  const found: Piece[] = [];
  let end = 0;
  for (const match of sentence.matchAll(moment)) {
    const at = Date.parse(match[0]);
    if (Number.isNaN(at)) continue;
    if (match.index > end) found.push({ text: sentence.slice(end, match.index), at: null });
    found.push({ text: match[0], at });
    end = match.index + match[0].length;
  }
  if (end < sentence.length) found.push({ text: sentence.slice(end), at: null });
  return found;
};
