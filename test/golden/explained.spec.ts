import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { explained as parts, explainRun } from '@holdfast/explain';
import { explained, scenes } from './explained.js';
import { foldLines, goldens } from './golden.js';

const folder = new URL('explanations/', import.meta.url);
const named = Object.entries(scenes).map(([name, scene]) => ({ name, scene }));

if (process.env['HOLDFAST_WRITE'] === 'explanations')
  for (const { name, scene } of named) writeFileSync(new URL(`${name}.txt`, folder), explained(scene));

describe('what is told of a run', () => {
  it.each(named)('$name: stands as it was agreed on, word by word', ({ name, scene }) =>
    expect(explained(scene)).toBe(readFileSync(new URL(`${name}.txt`, folder), 'utf8')),
  );

  it('has no text of a scene that is no longer there', () =>
    expect(readdirSync(folder).toSorted()).toEqual(named.map(({ name }) => `${name}.txt`).toSorted()));

  it.each(goldens())('can be told of every run of $name, at any point', ({ values }) => {
    const { records } = foldLines(values);
    for (const runId of new Set(records.flatMap(({ subject }) => subject ?? []))) {
      const own = records.filter(({ subject }) => subject === runId);
      if (own[0]?.event.type !== 'RunAccepted') continue;
      for (let to = 1; to <= own.length; to += 1) {
        const told = explainRun(own.slice(0, to), Date.parse(own[to - 1]?.time ?? ''));
        expect([told.runId, told.parts.map(({ about }) => about)]).toEqual([runId, parts]);
        expect(told.parts.filter(({ lines }) => lines.length === 0)).toEqual([]);
      }
    }
  });
});
