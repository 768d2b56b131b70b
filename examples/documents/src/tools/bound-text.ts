/** At most `bytesMax` bytes of a UTF-8 text, cut at a whole character. */
export const boundText = (bytes: Uint8Array, bytesMax: number): string => {
  let end = Math.min(bytes.length, bytesMax);
  // 10xxxxxx continues a character.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.from(bytes.subarray(0, end)).toString('utf8');
};
