import { readFileSync, writeFileSync } from 'node:fs';
import { laneEventSchema, runEventSchema } from '@holdfast/events';
import { eventsDoc } from './events-doc.js';

const page = new URL('../../docs/events.md', import.meta.url);
if (process.env['HOLDFAST_WRITE'] === 'docs') writeFileSync(page, eventsDoc());

const types = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => shape.type.value);

describe('docs/events.md', () => {
  it('is what `npm run docs:events` makes of the schemas', () => {
    expect(readFileSync(page, 'utf8')).toBe(eventsDoc());
  });

  it.each(types)('says what %s means', (type) => {
    expect(eventsDoc()).toContain(`### ${type}, version`);
  });
});
