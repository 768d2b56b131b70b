import { resolve } from './index.js';
import type { Json } from './index.js';
import { follow } from './resolve.js';
import { parseReference } from './reference.js';
import { mentionsIn } from './template.js';

const values: { readonly [root: string]: Json } = {
  input: { name: 'n', list: [{ a: 1 }, { a: 2 }], none: null, yes: true, 'with space': 1 },
  item: 'it',
};
const resolved = (template: Json) =>
  resolve(template, ({ root, path, text }) => follow(values[root] ?? {}, path, text));

describe('resolving a template', () => {
  it.each<[Json, Json]>([
    [{ $from: 'input.name' }, 'n'],
    [{ $from: 'input.none' }, null],
    [{ $from: 'input.list[1].a' }, 2],
    [{ $from: 'input.list.1.a' }, 2],
    [{ $from: 'input.with space' }, 1],
    [{ x: [{ y: { $from: 'item' } }, 1] }, { x: [{ y: 'it' }, 1] }],
    [{ $text: 'a {input.name} b {input.list[0]} {input.none} { item } {input.yes}' }, 'a n b {"a":1} null it true'],
    [{ $text: 'a {{input.name} {{}' }, 'a {input.name} {}'],
    [{ $text: '' }, ''],
    [{ $literal: { $from: 'input.name' } }, { $from: 'input.name' }],
  ])('makes %j into %j', (template, value) => expect(resolved(template)).toStrictEqual({ value }));

  it.each<[Json, string]>([
    [{ $from: 'input.nothing' }, 'input.nothing leads nowhere'],
    [{ $from: 'input.none.deeper' }, 'input.none.deeper leads nowhere'],
    [{ $from: 'input.name.length' }, 'input.name.length leads nowhere'],
    [{ $from: 'input.list.length' }, 'input.list.length leads nowhere'],
    [{ $from: 'input.list.01' }, 'input.list.01 leads nowhere'],
    [{ $from: 'input.__proto__' }, 'input.__proto__ leads nowhere'],
    [{ $from: 'input.constructor.name' }, 'input.constructor.name leads nowhere'],
    [[{ $text: '{input.nothing}' }], 'input.nothing leads nowhere'],
    [{ $from: 'input', more: 1 }, '$from must be the only key of its object'],
    [{ $from: 7 }, '$from must be a text'],
    [{ $text: 'a { b' }, 'a { is not closed; a brace that is meant is written {{'],
  ])('refuses %j: %s', (template, problem) => expect(resolved(template)).toStrictEqual({ problem }));

  it.each(['', 'constructor', 'output.x', 'steps', 'steps.', 'input..x', 'input[x]', 'input.', '__proto__.x'])(
    'knows no reference %p',
    (text) => expect(parseReference(text)).toBeUndefined(),
  );

  it('shares what has no references', () => {
    const template = { deep: [{ a: 1 }] };
    expect(resolved(template)).toHaveProperty('value', template);
    expect((resolved(template) as { value: Json }).value).toBe(template);
  });

  it('keeps a key __proto__ a key', () => {
    const template = JSON.parse('{ "__proto__": { "$from": "item" } }') as Json;
    const { value } = resolved(template) as { value: object };
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":"it"}');
  });

  it('tells where each reference stands', () =>
    expect(
      mentionsIn({ a: [{ $from: 'item.x' }], b: { $text: '{index}' }, c: { $literal: { $from: 'no' } } }, 'args'),
    ).toMatchObject([
      { at: 'args.a[0]', reference: { root: 'item', path: ['x'] } },
      { at: 'args.b', reference: { root: 'index' } },
    ]));
});
