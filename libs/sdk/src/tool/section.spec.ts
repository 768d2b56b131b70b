import { z } from 'zod';
import { checkSection } from './section.js';

const schema = z.strictObject({
  tools: z.array(
    z.strictObject({
      name: z.string(),
      body: z.union([z.strictObject({ json: z.json() }), z.strictObject({ form: z.record(z.string(), z.string()) })]),
    }),
  ),
});
const problems = (section: unknown): string => {
  try {
    checkSection('http', schema, section);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a section of a tool file', () => {
  it('is what its schema reads', () => {
    const section = { tools: [{ name: 'a', body: { json: null } }] };
    expect(checkSection('http', schema, section)).toEqual(section);
  });

  it('that is wrong is told with the place of each problem', () => {
    const body = { json: 1 };
    expect(problems(null)).toMatch(/^http: /);
    expect(problems({ tools: [{ name: 7, body }], more: 1 })).toBe(
      'http.tools[0].name: Invalid input: expected string, received number\nhttp.more: is not known here',
    );
    expect(problems({ tools: [{ name: 'a', body, x: 1 }] })).toBe('http.tools[0].x: is not known here');
  });

  it('that lacks something says so', () => {
    expect(problems({})).toBe('http.tools: is missing');
    expect(problems({ tools: [{ name: 'a' }] })).toBe('http.tools[0].body: is missing');
    expect(problems(undefined)).toBe('http: is missing');
  });

  it('names of several forms the problem of the one that was meant', () => {
    expect(problems({ tools: [{ name: 'a', body: { form: { x: 7 } } }] })).toBe(
      'http.tools[0].body.form.x: Invalid input: expected string, received number',
    );
  });
});
