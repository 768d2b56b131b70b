/** The end of a text in at most `bytesMax` bytes of UTF-8, begun at a whole character, and how many came before. */
export const boundTail = (text: string, bytesMax: number): { readonly tail: string; readonly omittedBytes: number } => {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return { tail: text, omittedBytes: 0 };
  let from = bytes.length - bytesMax;
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return { tail: bytes.subarray(from).toString('utf8'), omittedBytes: from };
};
