import type { Sample } from './evaluate.js';

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;

/** The samples in the text that `/metrics` answers; `instance` as whoever scrapes would add it. */
export const samplesIn = (text: string, instance: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || line.startsWith('#')) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text_ = '']) => [
      label,
      text_,
    ]);
    return [
      { name, labels: { ...(Object.fromEntries(pairs) as Record<string, string>), instance }, value: Number(value) },
    ];
  });

/** The sum of a metric over all series with these labels. */
export const sumOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
