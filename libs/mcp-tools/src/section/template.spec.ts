import { filled, templateProblem } from './template.js';

const values = { args: { path: '/a', list: [1, { b: null }] }, key: 'run/step' };

describe('a template', () => {
  it.each([
    ['{args.path}', '/a'],
    ['{args.list}', [1, { b: null }]],
    ['{args.list[1].b}', null],
    ['at {args.path} by {key}', 'at /a by run/step'],
    ['{{args.path}', '{args.path}'],
    ['', ''],
    [{ a: ['{key}', 7] }, { a: ['run/step', 7] }],
  ])('%j is filled', (template, value) => expect(filled(template, values)).toEqual({ value }));

  it.each(['{args.none}', 'x {args.path.more} y', '{args.list[5]}', '{args.__proto__}', '{args.constructor}'])(
    '%s leads nowhere',
    (template) => expect(filled(template, values)).toEqual({ problem: expect.stringContaining('leads nowhere') }),
  );

  it.each([
    ['{other.path}', '{other.path} must begin with args, key'],
    [{ a: ['x {path}'] }, '{path} must begin with args, key'],
    ['{args', 'a { is not closed in "{args"'],
  ])('%j is refused before it is used', (template, problem) => {
    expect(templateProblem(template, ['args', 'key'])).toContain(problem);
  });

  it('that names only what there is has no problem', () => {
    expect(templateProblem({ a: ['{args.x[0].y} and {key}', 1, null] }, ['args', 'key'])).toBeNull();
  });
});
