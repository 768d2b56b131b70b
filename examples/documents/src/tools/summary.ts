/** How long a summary may be that is filed. */
export const SUMMARY_BYTES_MAX = 1_024;

const SENTENCE_END = /(?<=[.!?])\s+|\n{2,}/;
const WORD = /\p{L}{3,}/gu;
const STOP_WORDS = new Set(
  'the and for that with this you are not from have has was can all will any its but may your use other such which when into than then been were also their they our out more only these those shall without'.split(
    ' ',
  ),
);

/**
 * The sentences whose words are the most frequent of the text, in their own order. Extractive and without network:
 * the same text always has the same summary.
 */
export const summarise = (text: string, sentencesMax: number): string => {
  const sentences = sentencesOf(text);
  const weights = wordWeights(text);
  const ranked = sentences
    .map((sentence, at) => ({ sentence, at, score: scoreOf(sentence, weights) }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, sentencesMax)
    .sort((a, b) => a.at - b.at);
  return ranked.map(({ sentence }) => sentence).join(' ');
};

const sentencesOf = (text: string): readonly string[] =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');

const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(WORD) ?? []).filter((word) => !STOP_WORDS.has(word));

const wordWeights = (text: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + 1);
  return weights;
};

// Divided by a dampened length: else the longest sentence would always win.
const scoreOf = (sentence: string, weights: ReadonlyMap<string, number>): number => {
  const words = wordsOf(sentence);
  const sum = words.reduce((total, word) => total + (weights.get(word) ?? 0), 0);
  return words.length === 0 ? 0 : sum / (words.length + 5);
};
