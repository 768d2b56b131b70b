import { laneEventSchema, runEventSchema } from '@holdfast/events';
import { foldLines, goldens, record } from './golden.js';
import { tellEveryEvent } from './story.js';

// Recorded once per release, by `npm run golden:record`; afterwards a history is never written again.
if (process.env['HOLDFAST_WRITE'] === 'golden') record('0.1.0/every-event', tellEveryEvent().values);

const types = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => shape.type.value);

describe('golden histories', () => {
  it.each(goldens())('$name folds to the state that was recorded with it', ({ values, state }) => {
    expect(foldLines(values).state).toEqual(state);
  });

  it.each(types)('%s happens in one of them', (type) => {
    const happened = goldens().flatMap(({ values }) => foldLines(values).records.map(({ event }) => event.type));
    expect(happened).toContain(type);
  });

  it('can be told again, byte for byte', () => {
    expect(tellEveryEvent().values).toEqual(tellEveryEvent().values);
  });
});
