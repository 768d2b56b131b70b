import { defineTool } from './define-tool.js';
import { jsonObject } from './json-type.js';
import { z } from 'zod';

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    path: { type: 'string', description: 'where' },
    code: { type: 'string', pattern: '^[A-Z]+$' },
    tags: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/tag' } },
  },
  required: ['path'],
  additionalProperties: false,
  $defs: { tag: { type: 'string', maxLength: 3 } },
};
const tool = defineTool({
  name: 'write',
  version: '1',
  description: 'Writes a file',
  input: jsonObject(schema),
  output: z.unknown(),
  replay: 'pure',
  timeoutMs: 1_000,
  run: (args) => args,
});

describe('a tool whose arguments are described by a JSON Schema', () => {
  it('shows that schema, and its description, in the catalogue', () => {
    const { inputSchema, description } = tool.catalogueEntry();
    expect(inputSchema).toEqual(schema);
    expect(description).toBe('Writes a file');
  });

  it('keeps arguments that fit as they are', () => {
    const args = { tags: ['a'], path: 'x' };
    expect(tool.checkArgs(args)).toEqual({ ok: true, value: args });
  });

  it.each([
    [{}, 'path is missing'],
    [{ path: 1 }, 'path: must be string'],
    [{ path: 'x', code: 'a1' }, 'code: must match pattern'],
    [{ path: 'x', tags: ['a', 'a'] }, 'tags: must NOT have duplicate items'],
    [{ path: 'x', more: 1 }, 'more is not an argument of the tool'],
    [{ path: 'x', tags: ['long'] }, 'tags[0]: must NOT have more than 3 characters'],
  ])('says what does not fit in %j', (args, problem) => {
    const checked = tool.checkArgs(args);
    expect(checked.ok ? '' : checked.problem).toContain(problem);
  });

  it('refuses arguments that are no object', () => {
    expect(tool.checkArgs([]).ok).toBe(false);
  });
});
