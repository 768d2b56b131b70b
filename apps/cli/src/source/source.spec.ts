import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allTools } from '../../../../test/support/tools.js';
import { world } from '../cli.fixture.js';
import { planIn, programSource } from './source.js';

const file = async (content: string, name = 'plan.yaml'): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'holdfast-')), name);
  await writeFile(path, content);
  return path;
};
const read = async (content: string, name?: string) => programSource(await file(content, name), 'the plan');
const PLAN = `# files all of them
kind: plan
name: File every document
steps:
  - id: each
    forEach: { $from: input.documents }
    window: 4
    steps:
      - id: file
        tool: file-document@1
        args:
          summary: { $text: 'No {item}: yes' }
`;

describe('a plan in YAML', () => {
  it('is the same as in JSON', async () => {
    const { value } = await read(PLAN);
    expect(value).toEqual({
      kind: 'plan',
      name: 'File every document',
      steps: [
        {
          id: 'each',
          forEach: { $from: 'input.documents' },
          window: 4,
          steps: [{ id: 'file', tool: 'file-document@1', args: { summary: { $text: 'No {item}: yes' } } }],
        },
      ],
    });
  });

  it('may use an anchor twice', async () => {
    const text =
      'kind: plan\nsteps:\n  - { id: a, tool: t@1, args: &same { x: 1 } }\n  - { id: b, tool: t@1, args: *same }\n';
    const source = await read(text);
    expect(planIn(source, 'the plan').steps).toMatchObject([{ args: { x: 1 } }, { args: { x: 1 } }]);
    expect(source.place('steps[1].args.x')).toMatch(/plan\.yaml:3:\d+$/);
  });

  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...'bcdefghij'.split('').map((name, at) => {
      const before = 'abcdefghi'[at];
      return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(', ')}]`;
    }),
  ].join('\n');

  it.each([
    ['a key twice', 'kind: plan\nkind: plan\n', /plan\.yaml:2:1: Map keys must be unique/],
    ['half an object', 'kind: plan\nsteps: [ { id: a\n', /plan\.yaml:\d+:\d+: /],
    ['a tab', 'kind: plan\nsteps:\n\t- id: a\n', /plan\.yaml:3:1: /],
    ['two documents', 'kind: plan\n---\nkind: plan\n', /plan\.yaml:2:1: /],
    ['a bomb of anchors', bomb, /plan\.yaml:2:\d+: its aliases stand for more than may be read/],
    ['an alias of nothing', 'kind: *nothing\n', /plan\.yaml:1:7: /],
    ['a tag', 'kind: !!js/function "x"\n', /plan\.yaml:1:7: /],
    ['a number that JSON has not', 'kind: .nan\n', /plan\.yaml:1:7: NaN cannot be said in JSON/],
    ['a key that is no text', '? [a]\n: 1\n', /plan\.yaml:1:3: a key must be a text/],
    ['YAML 1.1', '%YAML 1.1\n---\nkind: plan\n', /YAML 1\.1 is not read/],
    ['levels without end', `kind: ${'['.repeat(50_000)}`, /plan\.yaml:\d+:\d+: /],
    ['five megabytes', `kind: ${'x'.repeat(5_000_000)}`, /larger than \d+ bytes/],
  ])('with %s is refused with its place', async (_, content, said) => {
    const { run, err, asked } = world();
    expect([await run('submit', await file(content)), asked]).toEqual([2, []]);
    expect(err()).toMatch(said);
  });

  it('that is no plan is refused with the place of each problem, before anybody is asked', async () => {
    const { run, err, asked } = world();
    const text = 'kind: plan\nsteps:\n  - id: a\n    tool: nonsense\n    retries: 3\n  - { id: 7, tool: t@1 }\n';
    expect([await run('submit', await file(text)), asked]).toEqual([2, []]);
    expect(err()).toMatch(/plan\.yaml:4:5: steps\[0\]\.tool: must look like name@version/);
    expect(err()).toMatch(/plan\.yaml:5:5: steps\[0\]\.retries: retries is not known here/);
    expect(err()).toMatch(/plan\.yaml:6:7: steps\[1\]\.id: /);
  });

  it('that a coordinator refuses says where', async () => {
    const details = [{ code: 'unknown_tool', at: 'steps[0].tool', message: 'no such tool' }];
    const refuse = { code: 'invalid_program', message: 'the program is wrong', details };
    const yaml = world({ refuse });
    expect(await yaml.run('submit', await file('kind: plan\nsteps:\n  - id: a\n    tool: t@1\n'))).toBe(2);
    expect(yaml.err()).toMatch(/plan\.yaml:4:5: steps\[0\]\.tool: no such tool/);
    const json = world({ refuse });
    await json.run('submit', await file('{ "kind": "plan",\n  "steps": [{ "id": "a", "tool": "t@1" }] }', 'plan.json'));
    expect(json.err()).toMatch(/plan\.json:2:26: steps\[0\]\.tool: no such tool/);
  });

  it('is submitted as its value, with input in YAML as well', async () => {
    const { run, asked } = world();
    const input = await file('documents: [a, no, 1.50]\n', 'input.yml');
    expect(await run('submit', await file(PLAN), '--run', 'r', '--input', input)).toBe(0);
    expect(asked).toMatchObject([
      ['submit', { program: { name: 'File every document' }, input: { documents: ['a', 'no', 1.5] } }],
    ]);
  });
});

describe('validating a plan', () => {
  it('looks at its form alone where no broker is named', async () => {
    const { run, out } = world();
    expect(await run('validate', await file(PLAN))).toBe(0);
    expect(out()).toBe('The plan is sound: 1 step at its top. Its tools were not looked at.\n');
  });

  it('looks at its tools and its input where brokers are', async () => {
    const { run, err } = world({ tools: allTools });
    const text =
      'kind: plan\nsteps:\n  - id: a\n    tool: pure@1\n  - id: b\n    tool: other@1\n    args: { x: { $from: input.nothing } }\n';
    expect(await run('--brokers', '127.0.0.1:1', 'validate', await file(text))).toBe(2);
    expect(err()).toMatch(/plan\.yaml:6:5: steps\[1\]\.tool: no tool other@1 is registered/);
    expect(err()).toMatch(/plan\.yaml:7:\d+: steps\[1\]\.args\.x: /);
    const good = world({ tools: allTools });
    expect(
      await good.run(
        '--brokers',
        '127.0.0.1:1',
        'validate',
        await file('kind: plan\nsteps: [{ id: a, tool: pure@1 }]\n'),
        '--json',
      ),
    ).toBe(0);
    expect(JSON.parse(good.out())).toMatchObject({ kind: 'validated', steps: 1, tools: true });
  });

  it.each([
    ['{"kind": "plan", "steps": [}', 'is not JSON'],
    ['{"kind": "plan", "steps": []}', 'plan.json:1:18: steps: '],
    ['[]', 'plan.json:1:1: '],
  ])('refuses %s: %s', async (content, said) => {
    const { run, err } = world();
    expect(await run('validate', await file(content, 'plan.json'))).toBe(2);
    expect(err()).toContain(said);
  });
});
