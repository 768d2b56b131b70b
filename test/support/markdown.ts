/** Markdown without what a formatter may do to its tables and lines, to compare a page with what it is made of. */
export const unformatted = (text: string): string =>
  text
    .replaceAll(/ *\| */g, '|')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/\s+/g, ' ')
    .trim();
