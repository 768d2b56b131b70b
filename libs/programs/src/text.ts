/** The beginning of a text, at most so long. What is written as a pair of characters is never cut in half. */
export const cut = (text: string, length: number): string => {
  const last = text.charCodeAt(length - 1);
  const half = length < text.length && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, half ? length - 1 : length);
};
