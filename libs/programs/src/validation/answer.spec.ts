import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Json } from '../json.js';
import { answerProblem, answerSchemaProblem } from './answer.js';
import type { JsonSchema } from './catalogue.js';

describe('the schema of an answer', () => {
  it.each<[string, JsonSchema]>([
    ['is asynchronous', { $async: true, type: 'integer' }],
    ['is asynchronous inside', { type: 'object', properties: { n: { $async: true, type: 'integer' } } }],
  ])('is refused when it %s: its answer would be a promise, and pass whatever was said', (_, schema) =>
    expect(answerSchemaProblem(schema)).toContain('$async'),
  );

  it.each<[string, JsonSchema]>([
    ['$ref', { type: 'array', items: { $ref: '#' } }],
    ['$dynamicRef', { $dynamicRef: '#node' }],
    ['$id', { $id: 'https://example.org/answer' }],
    ['$anchor', { properties: { a: { $anchor: 'a' } } }],
    ['$dynamicAnchor', { $dynamicAnchor: 'node' }],
    ['$defs', { $defs: { a: {} } }],
    ['definitions', { definitions: { a: {} } }],
  ])('is refused with %s: it says all there where it is needed, once', (keyword, schema) =>
    expect(answerSchemaProblem(schema)).toContain(`"${keyword}"`),
  );

  it('may have fields with such names, and values', () => {
    const schema = { properties: { $ref: { const: { $id: 'a' } }, $id: { enum: [{ $ref: '#/none' }] } } };
    expect(answerSchemaProblem(schema)).toBeNull();
    expect(answerProblem(schema, { $ref: 'b' })).toBe('/$ref must be equal to constant');
  });

  it('asks for items that all differ only where they are few: each is compared with each', () => {
    const unique = (more: JsonSchema): JsonSchema => ({ type: 'array', uniqueItems: true, ...more });
    for (const schema of [unique({}), unique({ maxItems: 101 }), { properties: { a: unique({}) } }]) {
      expect(answerSchemaProblem(schema)).toContain('uniqueItems needs a maxItems of at most 100');
    }
    expect(answerSchemaProblem({ uniqueItems: false })).toBeNull();
    expect(answerSchemaProblem(unique({ maxItems: 100 }))).toBeNull();
    expect(answerProblem(unique({ maxItems: 100 }), [1, 1])).toContain('must NOT have duplicate items');
  });

  it('leaves nothing behind once nobody asks by it any more', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = Array.from({ length: 20 }, (_, n) => {
      const schema = { properties: { [`p${n}`]: { const: { n } } } };
      expect(answerProblem(schema, { [`p${n}`]: { n } })).toBeNull();
      return new WeakRef(schema);
    });
    // What a weak reference was asked for stays for the turn.
    await setImmediate();
    collect();
    expect(used.filter((schema) => schema.deref() !== undefined)).toEqual([]);
  });

  it('judges at once, also where history holds one that is refused today', () => {
    const wrong: Json = 'many';
    expect(() => answerProblem({ $async: true, type: 'integer' }, wrong)).toThrow('$async');
  });
});
