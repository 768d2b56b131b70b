import { laneEventSchema, runEventSchema } from '@holdfast/events';
import { foldLines, goldens, record } from './golden.js';
import { stories } from './stories.js';

const told = Object.entries(stories).map(([name, tell]) => ({ name, tell }));

// Each is recorded once, by `npm run golden:record`; afterwards a history is never written again.
if (process.env['HOLDFAST_WRITE'] === 'golden') {
  const recorded = new Set(goldens().map(({ name }) => name));
  for (const { name, tell } of told) if (!recorded.has(name)) record(name, tell().values);
}

const types = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => shape.type.value);

describe('golden histories', () => {
  it.each(goldens())('$name folds to the state that was recorded with it', ({ values, state }) => {
    // A later release may keep more than the one that recorded it, never something else.
    expect(foldLines(values).state).toMatchObject(state as object);
  });

  it.each(types)('%s happens in one of them', (type) => {
    const happened = goldens().flatMap(({ values }) => foldLines(values).records.map(({ event }) => event.type));
    expect(happened).toContain(type);
  });

  it.each(told)('$name can be told again, byte for byte', ({ tell }) => {
    expect(tell().values).toEqual(tell().values);
  });
});
