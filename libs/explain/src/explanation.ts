/** The questions that an explanation answers, in this order. */
export const explained = ['moving', 'effects', 'cost', 'cancel', 'resume', 'repeat'] as const;
export type Explained = (typeof explained)[number];

/** One answer: a short title and sentences, each true on its own. */
export type ExplanationPart = { readonly about: Explained; readonly title: string; readonly lines: readonly string[] };

/**
 * What a run is up to, for people: why it does not move, what it did to the world, what it cost, what happens if it is
 * cancelled or resumed now, and what would be done again.
 */
export type Explanation = {
  readonly runId: string;
  /** When it was true, epoch ms, and by which record of history. */
  readonly at: number;
  readonly seq: number;
  /** The most important thing, in one sentence. */
  readonly headline: string;
  readonly parts: readonly ExplanationPart[];
};

/** The same text everywhere: command line, API and page. */
export const explanationText = ({ headline, parts }: Explanation): string =>
  [headline, ...parts.flatMap(({ title, lines }) => ['', `${title}:`, ...lines.map((line) => `  ${line}`)])].join('\n');
