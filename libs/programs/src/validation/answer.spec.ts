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

  it('judges at once, also where history holds one that is refused today', () => {
    const wrong: Json = 'many';
    expect(() => answerProblem({ $async: true, type: 'integer' }, wrong)).toThrow('$async');
  });
});
